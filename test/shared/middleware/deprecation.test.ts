import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import { expect, test } from 'vitest'
import { deprecation } from '../../../shared/middleware/deprecation.ts'
import type { Event } from '../../../shared/request.ts'
import type { Result } from '../../../shared/response.ts'

const context = {} as Context // It is not looked at.
// As much of an event as the middleware looks at.
const event = {
  multiValueHeaders: { Host: ['api.example.com'] },
  requestContext: { path: '/v1/cats', resourcePath: '/cats' },
} as unknown as Event

test('keeps the link to the next page of a list that is deprecated', async () => {
  const next = '<https://api.example.com/v1/cats?cursor=x>; rel="next"'
  const list = async (): Promise<Result> => ({ statusCode: 200, headers: { Link: next }, body: '[]' })
  const dates = { since: new Date('2026-11-20'), sunset: new Date('2030-12-05') }

  const handler = middy<Event, Result>(list).use(deprecation({ ...dates, successor: '/pets' }))
  const { headers } = await handler(event, context)

  expect(headers.Link).toBe(`${next}, <https://api.example.com/v1/pets>; rel="successor-version"`)
})
