import '../../support/database.ts'
import type { Context } from 'aws-lambda'
import { describe, expect, test, vi } from 'vitest'
import { handler as createPet } from '../../../functions/createPet.ts'
import { handler as getPet } from '../../../functions/getPet.ts'
import { eventOf } from '../../support/events.ts'
import { both, onlyId, partsOf, propertiesOf } from './template.ts'

const BY_OPERATION = { Operation: '$.message.operation' }
// A create that is asked for again makes nothing.
const CREATED = '{ ($.message.status = 201) && ($.message.replayed NOT EXISTS) }'
const OF_EACH = {
  InternalErrors: ['{ $.message.status = 500 }', { ...BY_OPERATION, Version: '$.message.version' }],
  ClientErrors: ['{ ($.message.status >= 400) && ($.message.status < 500) }', { Code: '$.message.code' }],
  ColdStarts: ['{ $.message.coldStart IS TRUE }', BY_OPERATION],
}

describe.each(both)('CloudWatch makes metrics in $name', ({ name, template }) => {
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')

  test.each([
    ['listPets', OF_EACH],
    ['createPet', { ...OF_EACH, Created: [CREATED, BY_OPERATION] }],
    ['getPet', { ...OF_EACH, DeprecatedCalls: ['{ $.message.operation = "getPet" }', BY_OPERATION] }],
  ])('of the request lines of %s', (operation, expected) => {
    const { logGroup } = partsOf(template, operation)
    const found = filters
      .filter(({ LogGroupName }) => LogGroupName.Ref === logGroup)
      .map(({ FilterPattern, MetricTransformations: [{ MetricName, Dimensions, ...rest }] }) => {
        const dimensions = Dimensions.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value])
        expect(rest).toEqual({ MetricNamespace: name, MetricValue: '1' })
        return [MetricName, [FilterPattern, Object.fromEntries(dimensions)]]
      })

    expect(Object.fromEntries(found)).toEqual(expected)
  })

  test('of the requests that the API refuses because there are too many', () => {
    const ofAccessLog = filters.filter(({ FilterPattern }) => !FilterPattern.includes('$.message'))
    const [stage] = propertiesOf(template, 'AWS::ApiGateway::Stage')

    expect(ofAccessLog).toEqual([
      {
        // The access log has all values in quotes.
        FilterPattern: '{ $.status = "429" }',
        LogGroupName: stage.AccessLogSetting.DestinationArn['Fn::Join'][1].at(-1),
        MetricTransformations: [{ MetricName: 'ApiThrottled', MetricNamespace: name, MetricValue: '1' }],
      },
    ])
    expect(JSON.parse(stage.AccessLogSetting.Format)).toHaveProperty('status', '$context.status')
  })
})

/** The request line that a function logs for an event of test/events, as Lambda's JSON log format writes it. */
const lineOf = async (handler: typeof getPet, fixture: string) => {
  const log = vi.spyOn(console, 'info').mockImplementation(() => {})
  await handler(eventOf(fixture), { functionVersion: '7' } as Context) // Lambda's; the pipeline reads nothing else of it.
  const [[message] = []] = log.mock.calls
  log.mockRestore()
  return JSON.parse(JSON.stringify({ level: 'INFO', message }))
}

test('a request line has what the metrics and the saved query ask for, each as the filters compare it', async () => {
  const { message } = await lineOf(getPet, 'getPet-unknown-id')

  expect(message).toMatchObject({
    operation: 'getPet',
    version: '7',
    status: 404,
    code: 'not_found',
    coldStart: true,
    clientId: expect.stringMatching(/./),
  })
})

test('of two creates with one idempotency key, the line of the second alone says that it was replayed', async () => {
  const first = await lineOf(createPet, 'createPet-idempotency-key')
  const second = await lineOf(createPet, 'createPet-idempotency-key')

  expect(first.message).not.toHaveProperty('replayed')
  expect(second.message).toMatchObject({ status: 201, replayed: 'true' })
})

test.each(both)('no filter or query of $name asks for a field that no request line has', async ({ template }) => {
  const lines = [
    await lineOf(getPet, 'getPet-unknown-id'),
    await lineOf(createPet, 'createPet-idempotency-key'),
    await lineOf(createPet, 'createPet-idempotency-key'),
  ]
  const { QueryString } = template.toJSON().Resources[onlyId(template, 'AWS::Logs::QueryDefinition')].Properties
  const asked = JSON.stringify([QueryString, propertiesOf(template, 'AWS::Logs::MetricFilter')])

  const fields = new Set([...asked.matchAll(/message\.(\w+)/g)].map(([, field]) => field))
  expect([...fields].sort()).toEqual(['clientId', 'code', 'coldStart', 'operation', 'replayed', 'status', 'version'])
  expect(Object.assign({}, ...lines.map(({ message }) => message))).toMatchObject(
    Object.fromEntries([...fields].map((field) => [field, expect.anything()])),
  )
})
