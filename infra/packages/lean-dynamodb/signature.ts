import { createHmac, hash } from 'node:crypto'
import { variableValue } from './environment.ts'

type Headers = Record<string, string>

/**
 * Returns a function that signs a POST to `/` of DynamoDB (IAM User Guide, "Create a signed AWS API
 * request"). `@smithy/signature-v4` is larger and slower. Throws an Error if the environment has no
 * region or no credentials.
 */
export const signer = () => {
  const keyId = variableValue('AWS_ACCESS_KEY_ID')
  const secret = variableValue('AWS_SECRET_ACCESS_KEY')
  const token = process.env.AWS_SESSION_TOKEN
  const region = variableValue('AWS_REGION')
  let last: { day: string; key: Buffer } = { day: '', key: Buffer.of() }
  return (unsigned: Headers, body: string, now = new Date()): Headers => {
    const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
    const day = time.slice(0, 8)
    const headers: Headers = { ...unsigned, 'x-amz-date': time }
    if (token) headers['x-amz-security-token'] = token
    const names = Object.keys(headers).sort()
    const credentialScope = `${day}/${region}/dynamodb/aws4_request`
    const digest = hash('sha256', canonicalRequest(names, headers, body))
    const textToSign = `AWS4-HMAC-SHA256\n${time}\n${credentialScope}\n${digest}`
    // A key is valid for a day. To make one for each request would take longer than the rest.
    if (last.day !== day) last = { day, key: signingKey(secret, day, region) }
    const signature = hmac(last.key, textToSign).toString('hex')
    const credential = `Credential=${keyId}/${credentialScope}, SignedHeaders=${names.join(';')}`
    const authorization = `AWS4-HMAC-SHA256 ${credential}, Signature=${signature}`
    return { ...headers, authorization }
  }
}

const canonicalRequest = (names: string[], headers: Headers, body: string): string => {
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
  return `POST\n/\n\n${lines}\n${names.join(';')}\n${hash('sha256', body)}`
}

const signingKey = (secret: string, day: string, region: string): Buffer => {
  const regionKey = hmac(hmac(`AWS4${secret}`, day), region)
  return hmac(hmac(regionKey, 'dynamodb'), 'aws4_request')
}

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()
