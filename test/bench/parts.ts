import type { Figure } from './figure.ts'
import type { Options } from './options.ts'

type Part = (options: Options) => Promise<Figure[]>

/** What can be measured. Each is loaded when it is asked for. */
export const parts = {
  cold: async (options) => (await import('./cold/measure-cold.ts')).measureCold(options),
  warm: async () => (await import('./warm/measure-warm.ts')).measureWarm(),
  data: async () => (await import('./data/measure-data.ts')).measureData(),
  local: async () => (await import('./local/measure-local.ts')).measureLocal(),
} satisfies Record<Figure['table'], Part>

/** What else can be told, by the option that asks for it. */
export const sheets: Record<string, () => Promise<string>> = {
  bundle: async () => (await import('./bundle/explain-bundles.ts')).explainBundles(),
  scale: async () => (await import('./scale/scale.ts')).scale(),
}

export type PartName = keyof typeof parts

/** Their names, in the order in which they are measured. */
export const partNames = Object.keys(parts) as PartName[] // `Object.keys` types them as any string.
