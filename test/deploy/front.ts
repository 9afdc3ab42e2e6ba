import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

// A function's process serves one request at a time, so this bounds the processes as well. A hundred at once take longer
// to start than the functions wait for DynamoDB.
const AT_ONCE = 8

/**
 * Starts an origin of its own for what stands at `target`, and says to it how the request came. An API then has one as
 * on AWS: the emulator serves all APIs from one origin, either below a path, with which no link of the service's begins,
 * or by host names, which few machines resolve.
 */
export const startFront = async (target: string, protocol: 'http' | 'https'): Promise<string> => {
  const { hostname, port, pathname } = new URL(target)
  const agent = new Agent({ maxSockets: AT_ONCE })
  const server = createServer((message, response) => {
    const { method, url, rawHeaders } = message
    const headers = [...rawHeaders, 'X-Forwarded-Proto', protocol]
    const path = pathname.replace(/\/$/, '') + url
    const forwarded = request({ agent, hostname, port, method, path, headers })
    forwarded.on('error', () => response.destroy())
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
      answer.pipe(response)
    })
    message.pipe(forwarded)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  return `http://127.0.0.1:${address.port}`
}
