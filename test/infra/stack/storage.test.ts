import type { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { tableActions } from '../../../infra/platform/functions.ts'
import type { Stage } from '../../../infra/stages.ts'
import { entries, operationIds } from '../../../shared/contract.ts'
import { tableIds, tableOutput, tableVariable } from '../../../shared/data/tables.ts'
import { partsOf, resource, resourcesOf, tableOf, templateOf } from './template.ts'

const TABLE = 'AWS::DynamoDB::Table'

/** What CloudFormation replaces by an empty table if it changes, besides the logical id. */
const keysOf = (template: Template) =>
  Object.fromEntries(
    resourcesOf(template, TABLE).map(([id, { Properties }]) => [
      id,
      {
        keys: Properties.KeySchema,
        attributes: Properties.AttributeDefinitions,
        indexes: Properties.GlobalSecondaryIndexes,
        expiry: Properties.TimeToLiveSpecification,
      },
    ]),
  )

test('the tables keep their logical ids, keys and indexes; npm test -- test/infra/stack --update accepts a change', async () => {
  const [staging, production] = [keysOf(templateOf('staging')), keysOf(templateOf('production'))]

  expect(staging).toEqual(production)
  await expect(`${JSON.stringify(production, null, 2)}\n`).toMatchFileSnapshot('reviewed.json')
})

test.each([
  { name: 'staging', removal: 'Delete', protection: false, recovery: 1, logs: 14 },
  { name: 'production', removal: 'Retain', protection: true, recovery: 35, logs: 90 },
] as const)(
  'tables and logs in $name have the removal policy $removal',
  ({ name, removal, protection, recovery, logs }) => {
    const template = templateOf(name)
    const removed = { DeletionPolicy: removal, UpdateReplacePolicy: removal }
    const logGroups = resourcesOf(template, 'AWS::Logs::LogGroup')

    for (const [, table] of resourcesOf(template, TABLE))
      expect(table).toMatchObject({
        ...removed,
        Properties: {
          BillingMode: 'PAY_PER_REQUEST',
          DeletionProtectionEnabled: protection,
          PointInTimeRecoverySpecification: {
            PointInTimeRecoveryEnabled: true,
            RecoveryPeriodInDays: recovery,
          },
        },
      })
    for (const [, log] of logGroups)
      expect(log).toMatchObject({ ...removed, Properties: { RetentionInDays: logs } })
  },
)

test('a stack that adopts tables uses the first of each, and keeps its own tables and the permissions for all', () => {
  const adopt: Stage['adopt'] = {
    pets: ['restored-data'],
    apiKeys: ['restored-again', 'restored-keys'],
  }
  const template = templateOf('production', { adopt })
  const { Outputs } = template.toJSON()

  for (const id of tableIds) {
    const own = tableOf(template, id)
    const used = adopt[id]?.[0] ?? { Ref: own }
    const users = operationIds.filter((operation) =>
      tableActions(entries[operation]).some(({ table }) => table === id),
    )

    expect(Outputs[tableOutput(id)].Value).toEqual(used)
    for (const { handler, role } of users.map((operation) => partsOf(template, operation))) {
      const permissions = JSON.stringify(resource(template, role).Properties.Policies)
      expect(handler.Environment.Variables[tableVariable(id)]).toEqual(used)
      for (const name of adopt[id] ?? [])
        expect(permissions).toMatch(new RegExp(`:table/${name}["/]`))
      expect(permissions).toContain(`"${own}"`)
    }
  }
})
