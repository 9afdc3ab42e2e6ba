import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOCAL_API_KEY } from '../../infra/local/credentials.ts'

/**
 * The AWS credentials of AWS's documentation, which are valid nowhere. Tests set them in their environment, so that a
 * person's own are never used, and so that they are recognized wherever they are printed.
 */
export const exampleCredentials = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  AWS_SESSION_TOKEN: 'IQoJb3JpZ2luX2VjEXAMPLETOKEN',
}

/** The kinds of secrets in a text, each with the first line that has it: `line 3: an API key`. */
const secretsIn = (text: string): string[] => {
  const lines = text.split('\n')
  return Object.entries(secrets).flatMap(([kind, pattern]) => {
    const first = lines.findIndex((line) => pattern.test(line))
    return first === -1 ? [] : [`line ${first + 1}: ${kind}`]
  })
}

/** What a response must not reveal to a caller, secret or not. */
const internalsIn = (response: string): string[] =>
  Object.entries({ ...secrets, ...internals }).flatMap(([kind, pattern]) => (pattern.test(response) ? [kind] : []))

/** Throws if a response reveals internals. Every response that a test receives passes through here. */
export const refuseInternals = (response: { status: number | string; headers: object; text: string }): void => {
  // A request id is random and can look like anything.
  const headers = Object.entries(response.headers).filter(([name]) => !/^x-request-id$/i.test(name))
  // The local server fills its documented key into the console of the reference page.
  const text = response.text.replace(`"token":"${LOCAL_API_KEY}"`, '')
  const kinds = internalsIn(`${JSON.stringify(Object.fromEntries(headers))} ${text}`)
  if (kinds.length > 0) throw new Error(`A response with status ${response.status} contains ${kinds.join(', ')}.`)
}

/** Throws if an output in `folder` contains a secret. The error names the kind and the place, not the secret. */
export const refusePrintedSecrets = (folder: string): void => {
  const places = readdirSync(folder).flatMap((file) => {
    const source = decodeURIComponent(file)
    return secretsIn(withoutShown(source, readFileSync(join(folder, file), 'utf8'))).map((at) => `${source}, ${at}`)
  })
  if (places.length === 0) return
  throw new Error(`Secrets were printed. Outputs in ${folder}:\n  ${places.join('\n  ')}`)
}

const secrets = {
  // Mistyped and incomplete keys too.
  'an API key': /pet_(live|test|local)_[0-9A-Za-z]{8}/,
  // In a header line, an object, a list, JSON, and JSON within JSON. Our own messages say `Bearer <API_KEY>`.
  'the value of Authorization': /\bauthorization(\\*["'] *[:,]|:) *(\[ *$|\[? *\\*["']?(?!Bearer <)[\w+/])/i,
  'a bearer token': /\bBearer +(?!realm=)[\w.~+/-]/i,
  'a name and a password': /\bBasic +[\w+/]{4}/,
  'AWS credentials':
    /\b(AKIA|ASIA)[0-9A-Z]{16}\b|EXAMPLE(KEY|TOKEN)|(secret_?access_?key|session_?token|security-token)\\*["']? *[:=] *\\*["']?[\w+/]/i,
}

const internals = {
  'a stack trace': /\bat .*(\.[cm]?[jt]s|node:[\w/]+|<anonymous>|native):\d+:\d+/,
  'the path of a file': /file:\/\/|node:internal|\b(functions|infra|node_modules|shared|test)\/[\w./@-]+\.[cm]?[jt]s\b/,
  'the name of a table': /\bPetStore(Local|Staging|Production)-/,
  // Not every exception: API Gateway has some of its own.
  'an error of the database':
    /\b(dynamodb|aws-sdk|smithy)\b|(Resource|Conditional|Throughput|Validation)\w*Exception|\bECONN[A-Z]/i,
  'a digest': /\b[0-9a-f]{64}\b/,
}

// Commands that show a key on purpose: the new one, once, or the documented local one, at each start.
const shown: Record<string, RegExp[]> = {
  'infra/keys/main.ts, stdout': [/^(API key {2}pet_[a-z]+_\w{38}| {2}"key": "pet_[a-z]+_\w{38}",)$/m],
  'infra/local/main.ts, stdout': [
    new RegExp(`^ {2}API key {7}${LOCAL_API_KEY}$`, 'gm'),
    new RegExp(`^ {2}Try it {8}curl \\S+ -H 'Authorization: Bearer ${LOCAL_API_KEY}'$`, 'gm'),
  ],
}

const withoutShown = (source: string, text: string): string =>
  Object.entries(shown)
    .filter(([output]) => source.includes(output))
    .flatMap(([, lines]) => lines)
    .reduce((rest, line) => rest.replace(line, ''), text)
