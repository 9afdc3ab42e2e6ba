import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { settings } from '../shared/data/settings.ts'
import { type Access, type KeyAttribute, type Table as TableDefinition, tables } from '../shared/data/tables.ts'
import type { Stage } from './stages.ts'

/** What a function is given so that it can use a table. */
export type Grant = { statement: PolicyStatement; environment: Record<string, string> }

/** The service's tables. */
export class Storage extends Construct {
  readonly #tables: Record<keyof typeof tables, Table>
  readonly #stage: Stage

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.#stage = stage
    this.#tables = Object.fromEntries(
      Object.entries<TableDefinition>(tables).map(([name, definition]) => [name, this.#table(name, definition)]),
    ) as Record<keyof typeof tables, Table> // `Object.entries` types the names as any string.
  }

  /**
   * The right to use a table, and all that a function must be told to use it: given in one place, so that neither
   * comes without the other.
   */
  grant({ table, index, actions }: Access): Grant {
    const { tableArn, tableName } = this.#tables[table]
    return {
      statement: new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [index ? `${tableArn}/index/${index}` : tableArn],
      }),
      environment: { [settings[tables[table].setting]]: tableName, ...this.#settingsOf(table) },
    }
  }

  #settingsOf(table: keyof typeof tables): Record<string, string> {
    const { keyPrefix, readShards, writeShards } = this.#stage
    return {
      pets: { [settings.readShards]: `${readShards}`, [settings.writeShards]: `${writeShards}` },
      apiKeys: { [settings.keyPrefix]: keyPrefix },
    }[table]
  }

  #table(name: string, { partitionKey, indexes, timeToLive }: TableDefinition): Table {
    const table = new Table(this, name, {
      partitionKey: attribute(partitionKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: this.#stage.data,
      ...(timeToLive && { timeToLiveAttribute: timeToLive }),
    })
    for (const [indexName, keys] of Object.entries(indexes))
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: attribute(keys.partitionKey),
        sortKey: attribute(keys.sortKey),
      })
    return table
  }
}

const attribute = ({ name, type }: KeyAttribute) => ({
  name,
  type: { S: AttributeType.STRING, N: AttributeType.NUMBER }[type],
})
