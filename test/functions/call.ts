import { readFileSync } from 'node:fs'
import type { Context } from 'aws-lambda'
import { vi } from 'vitest'
import { handler as createPet } from '../../functions/createPet.ts'
import { handler as getPet } from '../../functions/getPet.ts'
import { handler as listPets } from '../../functions/listPets.ts'
import type { Event } from '../../shared/http.ts'
import { refuseInternals } from '../support/secrets.ts'

const functions = { 'GET /pets': listPets, 'POST /pets': createPet, 'GET /pets/{petId}': getPet }

/** The event of the file `test/events/<name>.json`, fresh each time: a function may change what it is given. */
export const fixture = (name: string): Event =>
  JSON.parse(readFileSync(new URL(`../events/${name}.json`, import.meta.url), 'utf8'))

/** The response of the function that `event` is for, as API Gateway gets it. */
export const callRaw = async (event: Event) => {
  const run = functions[`${event.httpMethod} ${event.resource}` as keyof typeof functions]
  const response = await run(event, context)
  refuseInternals({ status: response.statusCode, headers: response.headers, text: response.body })
  return response
}

/** The whole response of the function that `event` is for, its body parsed. */
export const call = async (event: Event) => {
  const { statusCode, headers, body } = await callRaw(event)
  return { status: statusCode, headers, body: JSON.parse(body) }
}

/** What the functions log about requests: kept out of the report, and there for the tests of it. */
export const info = vi.spyOn(console, 'info').mockImplementation(() => {})

/** What they log about errors of ours. */
export const error = vi.spyOn(console, 'error').mockImplementation(() => {})

const context: Context = {
  awsRequestId: '00000000-0000-4000-8000-000000000000',
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'test',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:test',
  logGroupName: '/aws/lambda/test',
  logStreamName: 'test',
  memoryLimitInMB: '256',
  getRemainingTimeInMillis: () => 10_000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
}
