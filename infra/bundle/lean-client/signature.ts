import { createHmac, hash } from 'node:crypto'
import { credentials, region } from './environment.ts'

type Headers = Record<string, string>

/**
 * Returns a function that adds the headers of AWS Signature Version 4 (IAM User Guide, "Create a signed AWS API request").
 * It signs what DynamoDB needs: a POST to a path without a query, and all headers. `@smithy/signature-v4`, which signs
 * every kind of request, adds 10 KB and took 90 of the 245 µs of CPU of a read.
 *
 * @throws Error if the environment has no region or no credentials
 */
export const signer = (path: string) => {
  const place = region()
  const { accessKeyId, secretAccessKey, sessionToken } = credentials()
  return (headers: Headers, body: string, now = new Date()): Headers => {
    const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
    const scope = `${time.slice(0, 8)}/${place}/dynamodb/aws4_request`
    const signed: Headers = {
      ...headers,
      'x-amz-date': time,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    }
    const names = Object.keys(signed).sort()
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join('')
    const request = `POST\n${escaped(path)}\n\n${lines}\n${names.join(';')}\n${hash('sha256', body)}`
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', request)}`
    const signature = hmac(keyOf(scope, secretAccessKey), text).toString('hex')
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
    return { ...signed, authorization }
  }
}

// The path is escaped already, and the specification escapes it again.
const escaped = (path: string): string => encodeURIComponent(path).replaceAll('%2F', '/')

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const keyOf = (scope: string, secret: string): Buffer => {
  if (last.scope !== scope || last.secret !== secret) {
    const [day = '', ...rest] = scope.split('/')
    last = { scope, secret, key: rest.reduce(hmac, hmac(`AWS4${secret}`, day)) }
  }
  return last.key
}

// A signing key is valid for a day. Without this cache each request would compute four more digests.
let last: { scope: string; secret: string; key: Buffer } = { scope: '', secret: '', key: Buffer.of() }
