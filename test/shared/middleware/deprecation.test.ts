import middy from '@middy/core'
import { expect, test } from 'vitest'
import type { Event, Result } from '../../../shared/http.ts'
import { deprecation } from '../../../shared/middleware/deprecation.ts'
import { emptyContext as context, partialEvent } from '../../support/partial-event.ts'

const event = partialEvent({
  multiValueHeaders: { Host: ['api.example.com'] },
  requestContext: { path: '/v1/cats', resourcePath: '/cats' },
})

test('keeps the link to the next page of a list that is deprecated', async () => {
  const next = '<https://api.example.com/v1/cats?cursor=x>; rel="next"'
  const list = async (): Promise<Result> => ({ statusCode: 200, headers: { Link: next }, body: '[]' })
  const dates = { since: new Date('2026-11-20'), sunset: new Date('2030-12-05') }

  const handler = middy<Event, Result>(list).use(deprecation({ ...dates, successor: '/pets' }))
  const { headers } = await handler(event, context)

  expect(headers.Link).toBe(`${next}, <https://api.example.com/v1/pets>; rel="successor-version"`)
})
