import { createHmac, hash } from 'node:crypto'
import { credentials, region } from './environment.ts'

type Headers = Record<string, string>

/**
 * Returns a function that adds the headers of AWS Signature Version 4 (IAM User Guide, "Create a signed AWS API request").
 * It signs a POST without a query, with all its headers. `@smithy/signature-v4`, which signs every kind of request, is
 * larger and slower.
 *
 * @param service the name of the AWS service, such as `dynamodb`
 * @param path its parts are escaped by `encodeURIComponent`
 * @throws Error if the environment has no region or no credentials
 */
export const signer = (service: string, path = '/') => {
  const place = region()
  const { accessKeyId, secretAccessKey, sessionToken } = credentials()
  return (headers: Headers, body: string, now = new Date()): Headers => {
    const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
    const scope = `${time.slice(0, 8)}/${place}/${service}/aws4_request`
    const signed: Headers = {
      ...headers,
      'x-amz-date': time,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    }
    const names = Object.keys(signed).sort()
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join('')
    // The specification escapes the path a second time. In an escaped path, this only changes the percent signs.
    const request = `POST\n${path.replaceAll('%', '%25')}\n\n${lines}\n${names.join(';')}\n${hash('sha256', body)}`
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', request)}`
    const signature = hmac(keyOf(scope, secretAccessKey), text).toString('hex')
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
    return { ...signed, authorization }
  }
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const keyOf = (scope: string, secret: string): Buffer => {
  if (last.scope !== scope || last.secret !== secret) {
    const [day = '', place = '', service = '', end = ''] = scope.split('/')
    const dayKey = hmac(`AWS4${secret}`, day)
    const regionKey = hmac(dayKey, place)
    const serviceKey = hmac(regionKey, service)
    last = { scope, secret, key: hmac(serviceKey, end) }
  }
  return last.key
}

// A signing key is valid for a day. Without this cache each request would compute four more digests.
let last: { scope: string; secret: string; key: Buffer } = { scope: '', secret: '', key: Buffer.of() }
