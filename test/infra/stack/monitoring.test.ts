import '../../support/database.ts'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { stackName, stages } from '../../../infra/stages.ts'
import { type OperationId, operationIds } from '../../../shared/contract.ts'
import { call, info } from '../../support/call.ts'
import { eventOf } from '../../support/events.ts'
import { example } from '../../support/example.ts'
import { only, partsOf, propertiesOf, resourcesOf, templateOf } from './template.ts'

const template = templateOf('production')
const name = stackName(stages.production)
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
const { DestinationArn } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
type Dimension = { Key: string; Value: string }
const [, Ref] = /"(ApiAccessLog\w+)"/.exec(JSON.stringify(DestinationArn)) ?? []
const accessLog = { Ref }

test('each alarm that notifies names graphs of the dashboard, or saved queries, to look at', () => {
  const graphs = widgetsOf(template).map(([title]) => title)
  const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition').map(
    ({ Name }) => Name.split('/')[1],
  )
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').filter(
    ({ AlarmActions }) => AlarmActions,
  )

  for (const { AlarmDescription } of alarms) {
    const named = [...AlarmDescription.matchAll(/"(.+?)"/g)].map(([, title]) => title)
    expect(named).not.toEqual([])
    expect([...graphs, ...queries]).toEqual(expect.arrayContaining(named))
  }
})

test('a stack counts failures by operation and status in the access log', () => {
  const { Format } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
  const made = filters.filter(
    ({ MetricTransformations: [{ MetricName }] }) => MetricName === 'ServerErrors',
  )

  const [{ FilterPattern, LogGroupName, MetricTransformations }] = made
  const dimensions = MetricTransformations[0].Dimensions.map(({ Key, Value }: Dimension) => [
    Key,
    JSON.parse(Format)[Value.replace('$.', '')],
  ])
  expect([FilterPattern, LogGroupName]).toEqual(['{ $.status = "5*" }', accessLog])
  expect(dimensions).toEqual([
    ['Method', '$context.httpMethod'],
    ['Resource', '$context.resourcePath'],
    ['Status', '$context.status'],
  ])
})

test('the dashboard shows the alarms that notify, and no graph is empty: CloudWatch refuses it', () => {
  const [[, alarms] = [], ...widgets] = widgetsOf(template)
  const notifying = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
    ([, { Properties }]) => Properties.AlarmActions,
  )

  expect(alarms).toEqual(notifying.map(([id]) => id))
  expect(widgets.filter(([title, shown]) => !title?.startsWith('##') && !shown?.length)).toEqual([])
})

test('a stack has saved queries for init times, for calls by operation and key, and for refused requests', () => {
  const logs = (ids: OperationId[]) => ids.map((id) => ({ Ref: partsOf(template, id).logGroup }))
  const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition')

  expect(queries.map(({ Name, LogGroupNames }) => [Name, LogGroupNames])).toEqual([
    [`${name}/init and duration of each function`, logs(operationIds)],
    [`${name}/calls by operation and key`, logs(operationIds)],
    [`${name}/refused requests by address, client and code`, [accessLog, ...logs(operationIds)]],
  ])
})

test.each(operationIds)('a stack counts each 500 of a version of %s by its log', (operation) => {
  const { logGroup } = partsOf(template, operation)
  const found = filters.filter(({ LogGroupName }) => LogGroupName.Ref === logGroup)

  const Dimensions = [
    { Key: 'Operation', Value: '$.message.operation' },
    { Key: 'Version', Value: '$.message.version' },
  ]
  const MetricTransformations = [{ MetricName: 'InternalErrors', Dimensions }]
  const FilterPattern = '{ $.message.status = 500 }'
  expect(found).toMatchObject([{ FilterPattern, MetricTransformations }])
})

test('the request log has every field that filters and saved queries read', async () => {
  const keyed = { headers: { 'Idempotency-Key': 'sent-twice' } }

  for (const _ of ['created', 'replayed']) await call(eventOf(example.events.create, keyed))
  await call(eventOf(example.events.create, { body: 'broken' }))

  const [created, replayed, refused] = info.mock.calls.map(([line]) =>
    JSON.parse(JSON.stringify(line)),
  )
  const readers = ['AWS::Logs::MetricFilter', 'AWS::Logs::QueryDefinition'].map((type) =>
    propertiesOf(templateOf('production'), type),
  )
  const fields = new Set(
    [...JSON.stringify(readers).matchAll(/message\.(\w+)/g)].map(([, field]) => field),
  )
  expect(Object.keys({ ...replayed, ...refused })).toEqual(expect.arrayContaining([...fields]))
  expect(created).not.toHaveProperty('replayed')
  expect(replayed).toMatchObject({
    operation: example.create,
    version: '$LATEST',
    status: 201,
    replayed: 'true',
  })
})

type Widget = {
  properties: { markdown?: string; title: string; alarms?: string[]; metrics?: unknown[] }
}

/** The title of each widget, with the alarms or the metrics that it shows. */
const widgetsOf = (template: Template): [title: string, shown?: unknown[]][] => {
  const parts: unknown[] = only(template, 'AWS::CloudWatch::Dashboard').DashboardBody['Fn::Join'][1]
  const text = parts
    .map((part) => (part instanceof Object ? Object.values(part).flat()[0] : part))
    .join('')
  return JSON.parse(text).widgets.map(
    ({ properties: { markdown, title, alarms, metrics } }: Widget) => [
      markdown ?? title,
      alarms ?? metrics,
    ],
  )
}
