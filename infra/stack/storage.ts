import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AttributeType, BillingMode, type ITable, Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import {
  type KeyAttribute,
  type Table as TableDefinition,
  type TableId,
  tableIds,
  tableOutput,
  tables,
  tableVariable,
} from '../../shared/data/tables.ts'
import type { Permission } from '../functions.ts'
import { sourcesDigest } from '../sources.ts'
import type { Stage } from '../stages.ts'

/** What a function needs to use a table. */
export type Grant = { statement: PolicyStatement; environment: Record<string, string> }

export class Storage extends Construct {
  /** The tables that new versions use. */
  readonly tables: Record<TableId, ITable>
  readonly #stage: Stage
  // Also those that live versions may still use: a role changes before the alias moves.
  readonly #granted: Record<TableId, ITable[]> = forEachTable(() => [])

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.#stage = stage
    this.tables = forEachTable((id) => this.#newOrAdopted(id))
    // For `npm run rewrite`, which must store items as the functions do.
    new CfnOutput(Stack.of(this), 'ReadShards', { value: `${stage.readShards}` })
    new CfnOutput(Stack.of(this), 'WriteShards', { value: `${stage.writeShards}` })
    new CfnOutput(Stack.of(this), 'Sources', { value: sourcesDigest() })
  }

  /** Grants right and variable together, so that a function cannot have one without the other. */
  grant({ table, index, actions }: Permission): Grant {
    return {
      statement: new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: this.#granted[table].map(({ tableArn }) =>
          index ? `${tableArn}/index/${index}` : tableArn,
        ),
      }),
      environment: { [tableVariable(table)]: this.tables[table].tableName },
    }
  }

  #newOrAdopted(name: TableId): ITable {
    const own = this.#newTable(name, tables[name])
    const names = this.#stage.adopt?.[name] ?? []
    const adopted = names.map((tableName) =>
      Table.fromTableName(this, `${name}Adopted-${tableName}`, tableName),
    )
    const [table = own] = adopted
    this.#granted[name].push(...adopted, own)
    // For operators: commands and restores use it.
    new CfnOutput(Stack.of(this), tableOutput(name), { value: table.tableName })
    return table
  }

  #newTable(name: string, { partitionKey, indexes, timeToLive }: TableDefinition): Table {
    const { onRemoval, deletionProtection, recoveryDays } = this.#stage
    const table = new Table(this, name, {
      partitionKey: attribute(partitionKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: RemovalPolicy[onRemoval],
      deletionProtection,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: recoveryDays,
      },
      ...(timeToLive && { timeToLiveAttribute: timeToLive }),
    })
    const sortKey = attribute(partitionKey)
    for (const [indexName, key] of Object.entries(indexes))
      table.addGlobalSecondaryIndex({ indexName, partitionKey: attribute(key), sortKey })
    return table
  }
}

const forEachTable = <T>(make: (id: TableId) => T): Record<TableId, T> =>
  // `fromEntries` loses the keys.
  Object.fromEntries(tableIds.map((id) => [id, make(id)])) as Record<TableId, T>

const attribute = ({ name, type }: KeyAttribute) => ({
  name,
  type: { S: AttributeType.STRING, N: AttributeType.NUMBER }[type],
})
