import { describe, expect, test } from 'vitest'
import { both, functionOf, onlyId, partsOf, propertiesOf, resource, tableOf } from './template.ts'

describe.each(both)('$name', ({ name, template }) => {
  test('has a dashboard of its own name, with each function and table on it', () => {
    const dashboard = resource(template, onlyId(template, 'AWS::CloudWatch::Dashboard')).Properties
    const parts: (string | { Ref: string })[] = dashboard.DashboardBody['Fn::Join'][1]
    const body = JSON.parse(parts.map((part) => (typeof part === 'string' ? part : part.Ref)).join(''))

    expect(dashboard.DashboardName).toBe(name)
    expect(body.widgets.map((widget: { properties: { title: string } }) => widget.properties.title)).toEqual([
      'Requests',
      'Errors',
      'Latency (ms)',
      'Calls of each function',
      'Duration of each function, p99 (ms)',
      'Cold starts',
      'Pets created',
      'Calls of deprecated operations',
      'Consumed capacity',
    ])
    expect(parts).toEqual(
      expect.arrayContaining([
        { Ref: functionOf(template, 'listPets') },
        { Ref: functionOf(template, 'createPet') },
        { Ref: functionOf(template, 'getPet') },
        { Ref: tableOf(template, 'id') },
        { Ref: tableOf(template, 'digest') },
        { Ref: tableOf(template, 'intent') },
      ]),
    )
  })

  test('has a saved query of who calls what is deprecated, over those functions alone', () => {
    expect(propertiesOf(template, 'AWS::Logs::QueryDefinition')).toEqual([
      {
        Name: `${name}/callers of deprecated operations`,
        LogGroupNames: [{ Ref: partsOf(template, 'getPet').logGroup }],
        QueryString:
          'filter ispresent(message.clientId)\n' +
          '| stats count(*) as calls, max(@timestamp) as last by message.operation, message.clientId\n' +
          '| sort calls desc',
      },
    ])
  })
})
