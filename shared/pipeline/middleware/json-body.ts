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

/**
 * Replaces the text of the body with its JSON object, with all digits. Throws an ApiError 413 or
 * 415, or a 400 that says why the body is no JSON object, or what it must be.
 */
export const jsonBody = (schema: ObjectSchema, method: string): Middleware => ({
  before: ({ event }) => {
    const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
    if (bytes.length > MAX_BODY_KIB * 1024) throw payloadTooLarge()
    if (bytes.length === 0) throw notAnObject('The body is missing.', schema)
    assertMediaType(event, method)
    const body = parsedBody(bytes)
    if (!isObject(body)) throw notAnObject('The body is not a JSON object.', schema)
    assertHarmless(body)
    Object.assign(event, { body, isBase64Encoded: false })
  },
})

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

const parsedBody = (bytes: Uint8Array): unknown => {
  try {
    // Without `fatal`, characters that are not UTF-8 would be lost.
    return exactJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw badRequest(`The body is not valid JSON: ${Object(error).message}.`)
  }
}

/** Throws an ApiError 400 for what could harm code that walks through a body. */
const assertHarmless = (value: unknown, depth = 1): void => {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw badRequest('The body is nested too deeply.')
  for (const [key, part] of Object.entries(value)) {
    if (key === '__proto__') throw forbiddenKey(key)
    if (key === 'constructor' && Object.hasOwn(Object(part), 'prototype'))
      throw forbiddenKey('constructor.prototype')
    assertHarmless(part, depth + 1)
  }
}

// They can change the prototype of a JavaScript object.
const forbiddenKey = (key: string) => badRequest(`The body must not have the key ${key}.`)

const isObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
