// The serving process of `npm run dev`. It is started in advance and loads the packages, which takes half of a start. It
// loads the sources when it receives the reason for the restart, after the server before it has ended.
import '@aws-sdk/client-dynamodb'
import '@aws-sdk/lib-dynamodb'
import '@commander-js/extra-typings'
import { once } from 'node:events'
import 'node:http'
import { fileURLToPath } from 'node:url'
import 'valibot'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Prints two lines: the file with the error, with the line if it is known, and the cause. */
const report = ({ name, message, stack = '' }: Error): void => {
  const [cause = '', text = ''] = [message, stack].map((each) =>
    each.replaceAll(`file://${ROOT}`, '').replaceAll(ROOT, ''),
  )
  const file = /(?<=imported from )\S+|\b(functions|infra|shared)\/[\w./-]+\.ts:\d+/.exec(text)?.[0]
  process.stderr.write(`${file ?? (process.env.RESTART_REASON || 'shared/contract.ts')}\n${name}: ${cause}\n`)
}

process.on('disconnect', () => process.exit()) // The process with the database has ended.
const [reason] = await once(process, 'message')
process.env.RESTART_REASON = reason
process.channel?.unref()
try {
  await import('./main.ts')
} catch (error) {
  if (!(error instanceof Error)) throw error
  report(error)
  process.exit(1)
}
