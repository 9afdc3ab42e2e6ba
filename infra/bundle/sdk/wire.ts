import { HttpRequest } from '@smithy/core/protocols'
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler'
import { endpoint } from './environment.ts'

type Headers = Record<string, string>

/** What a request may be given: a signal that ends it. */
export type Options = { abortSignal?: AbortSignal }

/** What came back over HTTP. */
export type Received = { statusCode: number; headers: Headers; text: string }

/** The way to DynamoDB, by connections that stay open. */
export class Wire {
  readonly #http: NodeHttpHandler
  #url: URL | undefined

  constructor(settings: NodeHttpHandlerOptions) {
    this.#http = new NodeHttpHandler(settings)
  }

  /** A request to the address that the environment gave when the first was made. */
  request(headers: Headers, body: string): HttpRequest {
    this.#url ??= endpoint()
    const { protocol, hostname, host, port } = this.#url
    const place = { method: 'POST', protocol, hostname, port: Number(port) || undefined, path: '/' }
    const all = { host, 'content-length': String(Buffer.byteLength(body)), ...headers }
    return new HttpRequest({ ...place, headers: all, body })
  }

  /** Sends a request, and waits for all of what comes back. */
  async exchange(request: HttpRequest, options: Options): Promise<Received> {
    const { response } = await this.#http.handle(request, options)
    const { statusCode, headers, body } = response
    return { statusCode, headers, text: await textOf(body) }
  }
}

const textOf = (body: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    body.setEncoding('utf8')
    body.on('data', (part: string) => {
      text += part
    })
    // Not at once: a process that was held up sees the answer before it sees that its own writing has ended, which is what
    // sets the connection free, and the next request would open another.
    body.on('end', () => setImmediate(resolve, text))
    body.on('error', reject)
  })
