import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LOCAL_API_KEY } from '../../infra/local/announcement.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { operation } from '../../shared/operation.ts'
import { emptyContext as context, partialEvent } from '../support/partial-event.ts'
import { always } from './data/faulty-database.ts'

const event = partialEvent({
  multiValueHeaders: { Authorization: [`Bearer ${LOCAL_API_KEY}`], Host: ['api.example.com'] },
  requestContext: { extendedRequestId: 'request-1', path: '/v1/pets', resourcePath: '/pets' },
})

const headers = expect.objectContaining({ 'Content-Type': 'application/json', 'X-Request-Id': 'request-1' })

beforeEach(() => {
  vi.spyOn(console, 'info').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => {
  always('pass')
  vi.restoreAllMocks()
})

test('answers 503, never 401, while the database cannot tell whether the key is good', async () => {
  const run = vi.fn()
  always('cut')

  const response = await operation('listPets', run)(event, context)

  expect(response).toEqual({
    statusCode: 503,
    headers: expect.objectContaining({ 'X-Request-Id': 'request-1', 'Retry-After': '1' }),
    body: '{"code":"service_unavailable","message":"The service is busy or partly down. Try again in a moment.","status":503}',
  })
  expect(run).not.toHaveBeenCalled()
})

test('answers a bug with a 500 that says nothing of it, and logs it with the id of the request', async () => {
  const bug = new TypeError('secret is not a function')
  const run = () => Promise.reject(bug)

  const response = await operation('listPets', run)(event, context)

  expect(response).toEqual({
    statusCode: 500,
    headers,
    body: '{"code":"internal_server_error","message":"Something went wrong on our side. Report it with the X-Request-Id.","status":500}',
  })
  expect(console.error).toHaveBeenCalledWith(expect.any(String), 'request-1', 500, bug)
})

test.each([
  ['a text', 'secret'],
  ['nothing', undefined],
  ['an object that looks like an error for the caller', { status: 418, body: { message: 'secret' }, headers: {} }],
])('answers 500 to %s that is thrown', async (_, thrown) => {
  const run = () => Promise.reject(thrown)

  const response = await operation('listPets', run)(event, context)

  expect(response).toMatchObject({ statusCode: 500, headers })
  expect(response.body).not.toContain('secret')
  expect(console.error).toHaveBeenCalledWith(expect.any(String), 'request-1', 500, thrown)
})

test('answers an error for the caller as the operation states it', async () => {
  const run = () => Promise.reject(new ApiError(409, 'conflict', 'It was sold.', { headers: { Allow: 'GET' } }))

  const response = await operation('listPets', run)(event, context)

  expect(response).toEqual({
    statusCode: 409,
    headers: expect.objectContaining({ 'X-Request-Id': 'request-1', Allow: 'GET' }),
    body: '{"code":"conflict","message":"It was sold.","status":409}',
  })
  expect(console.error).not.toHaveBeenCalled()
})
