import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { interfaceDeclaration } from './interface-declaration.ts'

/** The declarations of the client by file name: that of `client.ts`, and those that it needs. */
export const declarations = (): Record<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-client-'))
  try {
    execFileSync('tsc', ['--project', 'infra/client/tsconfig.json', '--outDir', folder], { stdio: 'inherit' })
    return neededBy('client', (name) =>
      name === 'interface' ? interfaceDeclaration() : readFileSync(join(folder, 'client', `${name}.d.ts`), 'utf8'),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const neededBy = (name: string, read: (name: string) => string): Record<string, string> => {
  const text = read(name)
  const imported = [...text.matchAll(/ from '\.\/([\w-]+)\.ts'/g)].map(([, other = '']) => neededBy(other, read))
  return Object.assign({ [`${name}.d.ts`]: text.replaceAll(/( from '\.\/[\w-]+)\.ts'/g, "$1.js'") }, ...imported)
}
