import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// A function in a process of its own, as Lambda has it: one event after the other. It answers each with the function's
// response, and with the milliseconds that this took.
const [, , folder = '', entry = ''] = process.argv
const path = join(folder, entry.replace(/\.handler$/, ''))
const file = [`${path}.js`, `${path}.mjs`].find(existsSync)
const { handler } = await import(pathToFileURL(file ?? '').href)
process.on('message', async (event) => {
  const sent = performance.now()
  const response = await handler(event, {})
  process.send?.({ response, ms: performance.now() - sent })
})
process.once('disconnect', () => process.exit())
process.send?.('ready')
