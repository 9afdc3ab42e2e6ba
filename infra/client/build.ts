import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { declarations } from './declarations.ts'

// `npm pack` runs it as `prepack`: builds what the package holds, as Node.js takes no TypeScript from node_modules.
const FOLDER = 'shared/client/dist'

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER)
buildSync({
  entryPoints: ['shared/client/client.ts'],
  outfile: join(FOLDER, 'client.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral', // Neither a browser's nor Node.js's own modules are there to be imported.
  target: 'es2022',
})
for (const [name, text] of Object.entries(declarations())) writeFileSync(join(FOLDER, name), text)
