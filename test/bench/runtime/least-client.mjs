// For tests, in the place of Lambda's runtime client, which the bench alone installs: as much of it as they need.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

const client = createRequire(import.meta.url)('./rapid-client.node')
const { _HANDLER, LAMBDA_TASK_ROOT } = process.env
const file = `${LAMBDA_TASK_ROOT}/${_HANDLER.replace(/\..*/, '')}`
const [entry] = ['.js', '.mjs'].map((ending) => file + ending).filter(existsSync)
const { handler, default: exported } = await import(entry)
const run = handler ?? exported.handler

while (true) {
  const { bodyJson } = await client.next()
  try {
    client.done('id', JSON.stringify(await run(JSON.parse(bodyJson), {})))
  } catch (error) {
    client.error('id', error.message, '')
  }
}
