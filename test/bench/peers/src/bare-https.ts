// The least that can do the work of a list of one pet: it signs its requests itself
// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html) and
// sends them with Node.js's own HTTPS client. It has no retries, no time limits and no checks, so
// it is a bound and not an alternative.
import { createHash, createHmac } from 'node:crypto'
import { request } from 'node:https'
import { bareHandler, storeOf } from './list.ts'

const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN = '', AWS_REGION } = process.env
const endpoint = new URL(
  process.env.AWS_ENDPOINT_URL_DYNAMODB ?? `https://dynamodb.${AWS_REGION}.amazonaws.com`,
)

export const store = storeOf(async (operation, input) => {
  const body = JSON.stringify(input)
  const { status, text } = await post(body, signedHeaders(operation, body))
  if (status !== 200) throw new Error(text)
  return JSON.parse(text)
})

export const handler = bareHandler(store)

const post = (body: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request(endpoint, { method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    sent.on('error', reject).end(body)
  })

const signedHeaders = (operation: string, body: string): Record<string, string> => {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${AWS_REGION}/dynamodb/aws4_request`
  // In the order of their names, as the signature wants them.
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    host: endpoint.host,
    'x-amz-date': time,
    'x-amz-security-token': AWS_SESSION_TOKEN,
    'x-amz-target': `DynamoDB_20120810.${operation}`,
  }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const hash = sha256(`POST\n/\n\n${lines.join('')}\n${names}\n${sha256(body)}`)
  const signature = hmac(
    signingKeyOf(scope),
    `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash}`,
  ).toString('hex')
  const credential = `Credential=${AWS_ACCESS_KEY_ID}/${scope}`
  const signed = `SignedHeaders=${names}, Signature=${signature}`
  const authorization = `AWS4-HMAC-SHA256 ${credential}, ${signed}`
  return { ...headers, 'content-length': `${Buffer.byteLength(body)}`, authorization }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

let signingKey: { scope: string; key: string | Buffer } | undefined

/** The key is the same for a day, so it is made once. */
const signingKeyOf = (scope: string): string | Buffer => {
  if (signingKey?.scope === scope) return signingKey.key
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${AWS_SECRET_ACCESS_KEY}`)
  signingKey = { scope, key }
  return key
}
