import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The Runtime API of one start of a function, as far as it takes what comes of it. */
export type RuntimeApi = {
  /** As in AWS_LAMBDA_RUNTIME_API. */
  address: string
  /** What is sent as the answer, or as an error: of the invocation, or of the start. */
  answered: Promise<{ isError: boolean; body: string }>
  close: () => void
}

export const startRuntimeApi = async (): Promise<RuntimeApi> => {
  const { promise: answered, resolve } = Promise.withResolvers<Awaited<RuntimeApi['answered']>>()
  const server = createServer(async (request, response) => {
    resolve({ isError: !request.url?.endsWith('/response'), body: await text(request) })
    response.writeHead(202).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { address: `127.0.0.1:${port}`, answered, close }
}
