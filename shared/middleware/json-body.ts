import httpJsonBodyParser from '@middy/http-json-body-parser'
import { type Event, header, type Middleware } from '../http.ts'
import { badRequest, MAX_BODY_KIB, payloadTooLarge, unsupportedMediaType } from '../model/api-error.ts'
import { exactJson } from '../model/json.ts'

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i

/**
 * Replaces the text of the body with the JSON object in it. Integers keep all their digits.
 *
 * @param rules the rule of each field, for the error messages
 * @throws ApiError 413, 415, or 400 if the body is missing or not a JSON object
 */
export const jsonBody = (rules: string[]): Middleware => {
  const expected = `It must be a JSON object in UTF-8, in which ${rules.join('; ')}.`
  // The parser's own check finds only two spellings of the header name and allows no space before a semicolon.
  const parser = httpJsonBodyParser<Event>({ disableContentTypeCheck: true })

  return {
    before: async (request) => {
      const { event } = request
      if (sizeOf(event) > MAX_BODY_KIB * 1024) throw payloadTooLarge()
      if (!event.body) throw badRequest(`The body is missing. ${expected}`)
      if (!JSON_TYPE.test(header(event, 'content-type') ?? '')) throw unsupportedMediaType()
      try {
        const text = textOf(event)
        Object.assign(event, { body: text, isBase64Encoded: false })
        await parser.before?.(request)
        Object.assign(event, { body: exactJson(text, event.body) })
      } catch (error) {
        const key = forbiddenKeyIn(error)
        if (key) throw badRequest(`The body must not have the key ${key}.`)
        // Not UTF-8, not JSON, or nested too deeply for the stack.
        throw badRequest(`The body cannot be read as JSON. ${expected}`)
      }
      if (!isObject(event.body)) throw badRequest(`The body is not a JSON object. ${expected}`)
    },
  }
}

/** The key that the parser refused because it can change the prototype of a JavaScript object, if that is the error. */
const forbiddenKeyIn = (error: unknown): string | undefined => {
  const { message, cause } = Object(error)
  if (message !== 'Forbidden key in JSON body') return undefined
  return cause.data === 'constructor' ? 'constructor.prototype' : cause.data
}

const encodingOf = ({ isBase64Encoded }: Event): BufferEncoding => (isBase64Encoded ? 'base64' : 'utf8')

const sizeOf = (event: Event): number => Buffer.byteLength(event.body ?? '', encodingOf(event))

/** The text of the body. Throws if it is not UTF-8, because replacement characters would lose text. */
const textOf = (event: Event): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(event.body ?? '', encodingOf(event)))

const isObject = (body: unknown): boolean => typeof body === 'object' && body !== null && !Array.isArray(body)
