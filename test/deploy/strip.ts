import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Resource = { Type: string; Properties?: Record<string, unknown>; [attribute: string]: unknown }

/** A CloudFormation template, as far as it matters here. */
type Template = { Resources: Record<string, Resource>; Outputs?: Record<string, unknown> }

/** Whether the emulator refuses every template in which such a resource is. */
const isRefused = ({ Type, Properties }: Resource): boolean =>
  Type.startsWith('AWS::CodeDeploy::') ||
  Type === 'AWS::Logs::QueryDefinition' ||
  (Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics !== undefined) // On an expression, not on one metric.

/** Takes out of the synthesized templates in `folder` what the emulator refuses, and tells what that is. */
export const stripAssembly = (folder: string): void => {
  for (const name of globSync('*.template.json', { cwd: folder })) {
    const file = join(folder, name)
    const { kept, taken } = strip(JSON.parse(readFileSync(file, 'utf8')))
    writeFileSync(file, JSON.stringify(kept))
    if (taken.length > 0) console.log(`  ${name}, for the emulator without: ${taken.join(', ')}`)
  }
}

/** A template less what the emulator refuses and what refers to that; `taken` tells where each stood. */
export const strip = (template: Template): { kept: unknown; taken: string[] } => {
  const refused = Object.entries(template.Resources).filter(([, resource]) => isRefused(resource))
  const names = new Set(refused.map(([name]) => name))
  const taken: string[] = []
  const prune = (value: unknown, path: string[]): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const parts = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
      const at = [...path, key]
      if (!goes(at, part, names)) return [[key, prune(part, at)]]
      taken.push(at.join('.'))
      return []
    })
    return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
  }
  return { kept: prune(template, []), taken }
}

const goes = (at: string[], part: unknown, names: ReadonlySet<string>): boolean => {
  const [section, name = '', attribute] = at
  if (section === 'Resources' && at.length === 2) return names.has(name)
  if (attribute === 'DependsOn') return typeof part === 'string' && names.has(part)
  // Less a part, neither of these would be valid.
  const isWhole = (section === 'Outputs' && at.length === 2) || (attribute === 'UpdatePolicy' && at.length === 3)
  return isWhole ? mentions(part, names) : isReference(part, names)
}

const mentions = (value: unknown, names: ReadonlySet<string>): boolean =>
  isReference(value, names) ||
  (typeof value === 'object' && value !== null && Object.values(value).some((part) => mentions(part, names)))

const isReference = (value: unknown, names: ReadonlySet<string>): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const { Ref: name, 'Fn::GetAtt': attribute } = value as { Ref?: unknown; 'Fn::GetAtt'?: unknown }
  return [name, Array.isArray(attribute) ? attribute[0] : undefined].some((each) => names.has(String(each)))
}
