import { expect, test, vi } from 'vitest'
import { ApiClient } from '../../../infra/commands/api-client.ts'
import { Progress } from '../../../infra/commands/progress.ts'
import { at, NOW } from '../../support/clock.ts'
import { type Fate, serveFake } from '../../support/fake-api.ts'

const HOUR_MS = 3_600_000
const request = { method: 'POST', path: '/pets', body: '{}', statuses: [201] }

/** A client of an API that sends this response, and what it tells the user. */
const clientOf = async (fate: Fate, apiKey = async () => 'key') => {
  const { baseUrl, requests } = await serveFake(fate)
  const stop = new AbortController()
  const write = vi.fn<(text: string) => void>(() => stop.abort(new Error('Stopped.')))
  const progress = new Progress('pets', undefined, { write })
  const api = new ApiClient({ baseUrl, apiKey, perSecond: 100, signal: stop.signal, progress })
  return { api, requests, write }
}

test('a request is not sent after its time, although its turn was before', async () => {
  const { api, requests } = await clientOf({ status: 201, body: '{}' }, async () => {
    at(HOUR_MS)
    return 'key'
  })

  expect(await api.send({ ...request, retryUntil: NOW + HOUR_MS })).toMatchObject({ status: 0 })
  expect(requests).toEqual([])
})

test('the user learns at once that the API asks for a long pause', async () => {
  const headers = { 'Retry-After': '99999999999' } // Longer than a timer can be.
  const { api, requests, write } = await clientOf({ status: 503, headers, body: 'Closed' })

  await expect(api.send(request)).rejects.toThrow('Stopped.')

  expect(write.mock.calls).toEqual([['Waiting for the API: 503 Closed\n']])
  expect(requests).toHaveLength(1)
})
