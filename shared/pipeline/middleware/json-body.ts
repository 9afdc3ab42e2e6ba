import httpJsonBodyParser from '@middy/http-json-body-parser'
import {
  badRequest,
  MAX_BODY_KIB,
  payloadTooLarge,
  unsupportedMediaType,
} from '../../model/api-error.ts'
import { exactJson } from '../../model/json.ts'
import { header, type Middleware, type ProxyEvent } from '../gateway-event.ts'

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i

/** How deep objects and lists may be nested: less than what overflows the stack of a parser. */
const MAX_DEPTH = 100
const TOO_DEEP = 'The body is nested too deeply.'

/**
 * Replaces the text of the body with its JSON object, with all digits. Throws an ApiError 413 or
 * 415, or 400 if it is missing, no object, or nested too deeply; the message has the `rules` of its
 * fields.
 */
export const jsonBody = (rules: { field: string; rule: string }[]): Middleware => {
  const fields = rules.map(({ field, rule }) => `${field} must be ${rule}`)
  const expected = `It must be a JSON object in which ${fields.join('; ')}.`
  // The parser's own check misses spellings of the header, and a space before a semicolon.
  const parser = httpJsonBodyParser<ProxyEvent>({ disableContentTypeCheck: true })

  return {
    before: async (request) => {
      const { event } = request
      const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
      if (bytes.length > MAX_BODY_KIB * 1024) throw payloadTooLarge()
      if (bytes.length === 0) throw badRequest(`The body is missing. ${expected}`)
      if (!JSON_TYPE.test(header(event, 'content-type') ?? '')) throw unsupportedMediaType()
      try {
        // Replacement characters would lose text.
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
        Object.assign(event, { body: text, isBase64Encoded: false })
        await parser.before?.(request)
        Object.assign(event, { body: exactJson(text, event.body) })
      } catch (error) {
        throw badRequest(parsingProblem(error))
      }
      if (isTooDeep(event.body)) throw badRequest(TOO_DEEP)
      if (!isObject(event.body)) throw badRequest(`The body is not a JSON object. ${expected}`)
    },
  }
}

/** Why a body cannot be parsed. */
const parsingProblem = (error: unknown): string => {
  const { message, cause } = Object(error) // The parser throws errors whose causes have no type.
  const reason = cause?.message ?? message
  // The parser refuses keys that can change the prototype of a JavaScript object.
  if (message === 'Forbidden key in JSON body') {
    const key = cause?.data === 'constructor' ? 'constructor.prototype' : cause?.data
    return `The body must not have the key ${key}.`
  }
  if (error instanceof TypeError) return 'The body is not valid UTF-8.'
  if (/call stack/.test(reason)) return TOO_DEEP
  if (reason.startsWith("Unexpected token '\uFEFF'"))
    return 'The body has a byte order mark (U+FEFF). Send it without.'
  return `The body is not valid JSON: ${reason}.`
}

const isTooDeep = (body: unknown): boolean => {
  let level = [body].filter(hasParts)
  for (let depth = 1; depth <= MAX_DEPTH && level.length > 0; depth++)
    level = level.flatMap((each) => Object.values(each)).filter(hasParts)
  return level.length > 0
}

const hasParts = (value: unknown): value is object => typeof value === 'object' && value !== null

const isObject = (body: unknown): boolean => hasParts(body) && !Array.isArray(body)
