import { formatWithOptions } from 'node:util'
import { LOCAL_API_KEY } from '../../infra/local/database/local-api-key.ts'
import { service } from '../../shared/service.ts'

/**
 * The AWS credentials of AWS's documentation, which are valid nowhere. Tests set them in their
 * environment, so that a person's own are never used, and so that they are recognized wherever they
 * are printed.
 */
export const exampleCredentials = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  AWS_SESSION_TOKEN: 'IQoJb3JpZ2luX2VjEXAMPLETOKEN',
}

/**
 * Throws if a response reveals internals. Every response that a test receives passes through here.
 */
export const refuseInternals = (response: {
  status: number | string
  headers: object
  text: string
}): void => {
  // A request id is random and can look like anything.
  const headers = Object.entries(response.headers).filter(([name]) => !/^x-request-id$/i.test(name))
  // The local server fills its documented key into the console of the reference page.
  const text = response.text.replace(`"token":"${LOCAL_API_KEY}"`, '')
  const revealed = `${JSON.stringify(Object.fromEntries(headers))} ${text}`
  const patterns = Object.entries({ ...secrets, ...internals })
  const kinds = patterns.flatMap(([kind, pattern]) => (pattern.test(revealed) ? [kind] : []))
  if (kinds.length > 0)
    throw new Error(`A response with status ${response.status} contains ${kinds.join(', ')}.`)
}

/**
 * Throws if what a process has printed contains a secret. The error names the first place of each
 * kind, not the secret.
 */
export const refuseSecrets = (source: string, printed: string): void => {
  const lines = withoutShown(source, printed).split('\n')
  const places = Object.entries(secrets).flatMap(([kind, pattern]) => {
    const first = lines.findIndex((line) => pattern.test(line))
    return first === -1 ? [] : [`line ${first + 1}: ${kind}`]
  })
  if (places.length > 0) throw new Error(`Secrets were printed by ${source}: ${places.join(', ')}.`)
}

/** Throws if a call of the console would print a secret. */
export const refuseLoggedSecrets = (calls: unknown[][]): void => {
  for (const call of calls) refuseSecrets('the console', formatWithOptions(UNLIMITED, ...call))
}

const secrets = {
  // Mistyped and incomplete keys too.
  'an API key': new RegExp(`${service.keyIssuer}_(live|test|local)_[0-9A-Za-z]{8}`, 'i'),
  // In a header line, an object, a list, JSON, and JSON within JSON. Our own messages say `Bearer
  // <API_KEY>`.
  'the value of Authorization':
    /\bauthorization(\\*["'] *[:,]|:) *(\[ *$|\[? *\\*["']?(?!Bearer <)[\w+/])/i,
  'a bearer token': /\bBearer +(?!realm=)[\w.~+/-]/i,
  'a name and a password': /\bBasic +[\w+/]{4}/,
  'AWS credentials':
    /\b(AKIA|ASIA)[0-9A-Z]{16}\b|EXAMPLE(KEY|TOKEN)|(secret_?access_?key|session_?token|security-token)\\*["']? *[:=] *\\*["']?[\w+/]/i,
}

/** What a response must not reveal to a caller, besides secrets. */
const internals = {
  'a stack trace': /\bat .*(\.[cm]?[jt]s|node:[\w/]+|<anonymous>|native):\d+:\d+/,
  'the path of a file':
    /file:\/\/|node:internal|\b(functions|infra|node_modules|shared|test)\/[\w./@-]+\.[cm]?[jt]s\b/,
  'the name of a table': new RegExp(`\\b${service.stack}(Local|Staging|Production)-`),
  // Not every exception: API Gateway has some of its own.
  'an error of the database':
    /\b(dynamodb|aws-sdk|smithy)\b|(Resource|Conditional|Throughput|Validation)\w*Exception|\bECONN[A-Z]/i,
  'a digest': /\b[0-9a-f]{64}\b/,
}

const KEY = `${service.keyIssuer}_[a-z]+_\\w{38}`

// Commands that show a key on purpose: the new one, once, or the documented local one, at each
// start.
const shown: [source: string, line: RegExp][] = [
  ['infra/commands/keys.ts, stdout', new RegExp(`^API key {2}${KEY}$`, 'm')],
  ['infra/local/main.ts', new RegExp(`^ {2}API key {7}${LOCAL_API_KEY}$`, 'gm')],
]

const withoutShown = (source: string, text: string): string =>
  shown.reduce(
    (rest, [shownBy, line]) => (source === shownBy ? rest.replace(line, '') : rest),
    text,
  )

// Like a Lambda log: neither cut nor broken into lines.
const UNLIMITED = {
  compact: true,
  breakLength: Infinity,
  depth: Infinity,
  maxArrayLength: null,
  maxStringLength: null,
}
