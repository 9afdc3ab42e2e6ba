import httpJsonBodyParser from '@middy/http-json-body-parser'
import {
  badRequest,
  MAX_BODY_KIB,
  payloadTooLarge,
  unsupportedMediaType,
} from '../../model/api-error.ts'
import { fieldRules } from '../../model/fields.ts'
import { exactJson } from '../../model/json.ts'
import type { Entry, ObjectSchema } from '../entry.ts'
import { mediaTypes } from '../entry-rules.ts'
import { headerValues, type Middleware, type ProxyEvent } from '../gateway-event.ts'

/** How deep objects and lists may be nested: less than what overflows the stack of a parser. */
const MAX_DEPTH = 100

/**
 * Replaces the text of the body with its JSON object, with all digits. Throws an ApiError 413 or
 * 415, or a 400 that says why the body is no JSON object, or what it must be.
 */
export const jsonBody = (schema: ObjectSchema, entry: Entry): Middleware => {
  const fields = fieldRules(schema.entries).map(({ field, rule }) => `${field} must be ${rule}`)
  const expected = `It must be a JSON object in which ${fields.join('; ')}.`
  const accepted = mediaTypes(entry)
  // The parser's own check takes any JSON, such as a JSON Patch, which is no merge patch.
  const parser = httpJsonBodyParser<ProxyEvent>({ disableContentTypeCheck: true })

  return {
    before: async (request) => {
      const { event } = request
      const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
      if (bytes.length > MAX_BODY_KIB * 1024) throw payloadTooLarge()
      if (bytes.length === 0) throw badRequest(`The body is missing. ${expected}`)
      const types = sentMediaTypes(event)
      if (types.length !== 1 || !accepted.allowed.includes(types[0] ?? ''))
        throw unsupportedMediaType(types.join(', '), accepted)
      const text = decodedText(bytes)
      // Before parsing, because the errors of a parser do not tell these from each other.
      if (text.startsWith('\uFEFF'))
        throw badRequest('The body has a byte order mark (U+FEFF). Send it without.')
      if (isTooDeep(text)) throw badRequest('The body is nested too deeply.')
      Object.assign(event, { body: text, isBase64Encoded: false })
      try {
        await parser.before?.(request)
      } catch (error) {
        throw badRequest(parsingProblem(error))
      }
      Object.assign(event, { body: exactJson(text, event.body) })
      if (!isObject(event.body)) throw badRequest(`The body is not a JSON object. ${expected}`)
    },
  }
}

/** Without repeated ones: some proxies send a header twice, or join its values. */
const sentMediaTypes = (event: ProxyEvent): string[] => {
  const values = headerValues(event, 'content-type').flatMap((value) => value.split(','))
  const types = values.map((value) => value.split(';')[0]?.trim().toLowerCase() ?? '')
  return [...new Set(types)]
}

const decodedText = (bytes: Uint8Array): string => {
  try {
    // Replacement characters would lose text.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw badRequest('The body is not valid UTF-8.')
  }
}

// Brackets in strings do not count. The last `?` is for a string that is not closed.
const STRING_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{}]/gs

const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (const [token] of text.matchAll(STRING_OR_BRACKET)) {
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** Why the parser cannot read a body. */
const parsingProblem = (error: unknown): string => {
  const { message, cause } = Object(error) // The parser throws errors whose causes have no type.
  // The parser refuses keys that can change the prototype of a JavaScript object.
  if (message === 'Forbidden key in JSON body') {
    const key = cause?.data === 'constructor' ? 'constructor.prototype' : cause?.data
    return `The body must not have the key ${key}.`
  }
  return `The body is not valid JSON: ${cause?.message ?? message}.`
}

const isObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
