import { fileURLToPath } from 'node:url'
import { bundleFile } from '../bundle-file.ts'

/** What esbuild takes of a package, as far as it has it: what it does by itself, and what drops more of what is unused. */
const byDefault = ['main', 'module']
const leanest = ['module', 'main']

const peers = [
  { name: 'empty handler', source: 'empty-handler', mainFields: byDefault },
  { name: 'stock client', source: 'stock-client', mainFields: byDefault },
  { name: 'stock client, module,main', source: 'stock-client', mainFields: leanest },
  { name: 'stock document client', source: 'stock-document-client', mainFields: byDefault },
  { name: 'stock document client, module,main', source: 'stock-document-client', mainFields: leanest },
  { name: 'demo style', source: 'demo-style', mainFields: byDefault },
  { name: 'demo style, module,main', source: 'demo-style', mainFields: leanest },
  { name: 'express', source: 'express', mainFields: byDefault },
  { name: 'fastify', source: 'fastify', mainFields: byDefault },
  { name: 'hono', source: 'hono', mainFields: byDefault },
]

/** Bundles every peer into a folder of its own below `folder`. */
export const bundlePeers = (folder: string): Promise<{ name: string; folder: string }[]> =>
  Promise.all(
    peers.map(async ({ name, source, mainFields }) => {
      const file = fileURLToPath(new URL(`src/${source}.ts`, import.meta.url))
      return { name, folder: await bundleFile(file, folder, { mainFields, alias: {} }) }
    }),
  )
