import httpJsonBodyParser from '@middy/http-json-body-parser'
import {
  badRequest,
  MAX_BODY_KIB,
  mediaTypes,
  payloadTooLarge,
  unsupportedMediaType,
} from '../../model/api-error.ts'
import { fieldRules } from '../../model/fields.ts'
import { exactJson } from '../../model/json.ts'
import type { ObjectSchema } from '../entry.ts'
import { headerValues, type Middleware, type ProxyEvent } from '../gateway-event.ts'

/** How deep objects and lists may be nested: less than what overflows the stack of a function. */
const MAX_DEPTH = 100
const TOO_DEEP = 'The body is nested too deeply.'

/**
 * Replaces the text of the body with its JSON object, with all digits. Throws an ApiError 413 or
 * 415, or a 400 that says why the body is no JSON object, or what it must be.
 */
export const jsonBody = (schema: ObjectSchema, method: string): Middleware => {
  // The parser's own check takes any JSON, such as a JSON Patch, which is no merge patch.
  const parser = httpJsonBodyParser<ProxyEvent>({ disableContentTypeCheck: true })
  return {
    before: async (request) => {
      const { event } = request
      const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
      if (bytes.length > MAX_BODY_KIB * 1024) throw payloadTooLarge()
      if (bytes.length === 0) throw notAnObject('The body is missing.', schema)
      assertMediaType(event, method)
      const text = decodedText(bytes)
      Object.assign(event, { body: text, isBase64Encoded: false })
      try {
        await parser.before?.(request)
      } catch (error) {
        throw badRequest(parsingProblem(error))
      }
      if (isTooDeep(event.body)) throw badRequest(TOO_DEEP)
      Object.assign(event, { body: exactJson(text, event.body) })
      if (!isObject(event.body)) throw notAnObject('The body is not a JSON object.', schema)
    },
  }
}

const notAnObject = (problem: string, { entries }: ObjectSchema) => {
  const fields = fieldRules(entries).map(({ field, rule }) => `${field} must be ${rule}`)
  return badRequest(`${problem} It must be a JSON object in which ${fields.join('; ')}.`)
}

const assertMediaType = (event: ProxyEvent, method: string): void => {
  const values = headerValues(event, 'content-type').flatMap((value) => value.split(','))
  const types = values.map((value) => value.split(';')[0]?.trim().toLowerCase())
  // Without repeated ones: some proxies send a header twice, or join its values.
  const sent = [...new Set(types)].join(', ')
  if (!mediaTypes(method).includes(sent)) throw unsupportedMediaType(sent, method)
}

const decodedText = (bytes: Uint8Array): string => {
  try {
    // Replacement characters would lose text.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('The body is not valid UTF-8.')
  }
}

/** Why the parser cannot read a body. */
const parsingProblem = (error: unknown): string => {
  const { message, cause } = Object(error) // The parser throws errors whose causes have no type.
  // The parser refuses keys that can change the prototype of a JavaScript object.
  if (message === 'Forbidden key in JSON body') {
    const key = cause?.data === 'constructor' ? 'constructor.prototype' : cause?.data
    return `The body must not have the key ${key}.`
  }
  const reason = `${cause?.message ?? message}`
  if (/call stack/.test(reason)) return TOO_DEEP
  return `The body is not valid JSON: ${reason}.`
}

const isTooDeep = (value: unknown, depth = 0): boolean =>
  depth > MAX_DEPTH ||
  (typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((part) => isTooDeep(part, depth + 1)))

const isObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
