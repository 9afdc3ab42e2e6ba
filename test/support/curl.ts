// A `curl` with the options that the READMEs use: their examples must run where it is not installed.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    include: { type: 'boolean', short: 'i', default: false },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    'write-out': { type: 'string', short: 'w', default: '' },
  },
})

const address = new URL(positionals[0] ?? '')
// The READMEs name the default port. Here another server may have it.
address.host = process.env.SERVER ?? address.host
const headers = Object.fromEntries(values.header.map((line) => line.split(': ')))
const method = values.data === undefined ? 'GET' : 'POST'
// `fetch` would change the case of header names, which --include shows.
const sent = request(address, { method, headers }).end(values.data)
const [response] = await once(sent, 'response')
const { rawHeaders, statusCode }: IncomingMessage = response
if (values.include) {
  const lines = [`HTTP/1.1 ${statusCode}`]
  for (let i = 0; i < rawHeaders.length; i += 2)
    lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  process.stdout.write(`${lines.join('\r\n')}\r\n\r\n`)
}
process.stdout.write((await text(response)) + values['write-out'].replaceAll('\\n', '\n'))
