import assert from 'node:assert/strict'
import { contract, type OperationId } from '../../shared/contract.ts'
import { example, type Resource } from '../support/example.ts'
import { sendUntilServed } from '../support/http.ts'

/** A deployed API, and a key for it. */
export type Deployed = { baseUrl: string; apiKey: string }

/**
 * Requests on the example resources of a deployed API. Each throws if the response has another
 * status than expected.
 */
export const deployedApi = ({ baseUrl, apiKey }: Deployed) => {
  const call = async (
    status: number,
    operation: OperationId,
    end = '',
    body?: object,
    key = '',
  ) => {
    const { method, path } = contract[operation]
    const received = await sendUntilServed(baseUrl, {
      method,
      path: path.replace(/\/\{\w+\}/, '') + end,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        ...(key && { 'Idempotency-Key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    assert.equal(received.status, status, `${operation}: ${received.text}`)
    return received.body
  }
  // The API tests, which run before, compare responses with the document.
  return {
    create: async (body: object, idempotencyKey: string) =>
      (await call(201, example.create, '', body, idempotencyKey)) as Resource,
    list: async (query = {}, status = 200) => {
      const parameters = new URLSearchParams({ limit: '100', ...query })
      return (await call(status, example.list, `?${parameters}`)) as Resource[]
    },
    change: async (id: number, body: object) =>
      (await call(200, example.change.operation, `/${id}`, body)) as Resource,
  }
}
