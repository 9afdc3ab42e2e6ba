import type { IncomingMessage } from 'node:http'
import { styleText } from 'node:util'
import type { ProxyResponse } from './lambda.ts'

/** What the log shows of a request. A malformed request has neither a method nor a path. */
export type Logged = { requestId: string; startedAt: number; method?: string | undefined; path?: string | undefined }

/**
 * Logs the response to a request on one line: aligned on a terminal, coloured unless NO_COLOR is set, and otherwise as
 * JSON. It has the error code, but nothing else of the headers and bodies.
 */
export const logResponse = (request: Logged, { statusCode: status, body = '' }: ProxyResponse): void => {
  const { requestId, startedAt, method, path } = request
  const milliseconds = Math.round(performance.now() - startedAt)
  const code = status >= 400 ? /^\{"code":"(\w+)"/.exec(body)?.[1] : undefined
  const entry = { time: new Date().toISOString(), method, path, status, milliseconds, code, requestId }
  console.info(process.stdout.isTTY ? lineOf(entry) : JSON.stringify(entry))
}

/**
 * Silences the request log of the functions, which is for CloudWatch: this server logs each response itself. Whatever
 * else a function logs is printed.
 */
export const silenceFunctions = (): void => {
  const { info } = console
  console.info = (...args) => {
    if (!('coldStart' in Object(args[0]))) info(...args)
  }
}

/** The path of a request, without the API key that someone may have pasted into it. */
export const pathForLog = ({ url = '' }: IncomingMessage): string =>
  // A percent-encoded key is hard to recognise, so any long part is cut; no valid path has one.
  (url.split('?')[0] ?? '').replaceAll(/(pet_[a-z]+_)\w+/g, '$1…').replaceAll(/[^/]{40,}/g, '…')

type Entry = Omit<Logged, 'startedAt'> & {
  time: string
  status: number
  milliseconds: number
  code?: string | undefined
}

// 13:20:51  GET      /v1/pets/373212905455903    404     3 ms  not_found               WtooPXbkRGDu1bY=
const lineOf = ({ time, method = '-', path = '-', status, milliseconds, code = '', requestId }: Entry): string => {
  const colour = COLOURS[Math.floor(status / 100)] ?? 'red'
  return [
    new Date(time).toTimeString().slice(0, 8),
    method.padEnd(7),
    path.padEnd(26),
    styleText(colour, String(status)),
    `${milliseconds} ms`.padStart(7),
    code.padEnd(22),
    styleText('dim', requestId),
  ].join('  ')
}

const COLOURS: Partial<Record<number, 'green' | 'cyan' | 'yellow'>> = { 2: 'green', 3: 'cyan', 4: 'yellow' }
