import type { Context } from 'aws-lambda'
import { expect, test } from 'vitest'
import { ask, serve } from './front.ts'

test('tells a function its name and how long it may take', async () => {
  const contexts: Context[] = []
  const listPets = async (_event: unknown, context: Context) => {
    contexts.push(context)
    return { statusCode: 200, body: String(context.getRemainingTimeInMillis() > 0) }
  }
  const front = await serve({ listPets }, { timeoutMs: 2 ** 31 - 1 })

  const { body } = await ask(front, { path: '/v1/pets' })

  expect(body).toBe(true)
  expect(JSON.parse(JSON.stringify(contexts))).toEqual([
    {
      awsRequestId: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      callbackWaitsForEmptyEventLoop: true,
      functionName: 'listPets',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:listPets',
      logGroupName: '/aws/lambda/listPets',
      logStreamName: 'local',
      memoryLimitInMB: '0',
    },
  ])
})
