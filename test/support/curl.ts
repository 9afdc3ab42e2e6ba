// A `curl` with the options that the READMEs use: their examples must run where it is not installed.
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    'write-out': { type: 'string', short: 'w', default: '' },
  },
})

const address = new URL(positionals[0] ?? '')
// The READMEs name the default port. Here another server may have it.
address.host = process.env.SERVER ?? address.host
const headers = new Headers()
for (const line of values.header) {
  const [name = '', value = ''] = line.split(': ')
  headers.append(name, value)
}
const response = await fetch(address, {
  method: values.data === undefined ? 'GET' : 'POST',
  headers,
  body: values.data ?? null,
})
process.stdout.write((await response.text()) + values['write-out'].replaceAll('\\n', '\n'))
