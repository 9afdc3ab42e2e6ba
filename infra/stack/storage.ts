import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AttributeType, BillingMode, type ITable, Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import type { KeyAttribute } from '../../shared/data/indexes.ts'
import {
  type Table as TableDefinition,
  type TableId,
  tableIds,
  tableOutput,
  tables,
  tableVariable,
} from '../../shared/data/tables.ts'
import type { TableActions } from '../platform/functions.ts'
import { sourcesDigest } from '../sources-digest.ts'
import type { Stage } from '../stages.ts'

/** What a function needs to use a table: the right, and the variable with its name. */
export type TableUse = { statement: PolicyStatement; environment: Record<string, string> }

/**
 * The table that new versions use, and all that functions may use: a role changes before the alias
 * moves, so the live version may use another one.
 */
type Tables = { current: ITable; allowed: ITable[] }

export class Storage extends Construct {
  readonly tables: Record<TableId, Tables>

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    // `fromEntries` loses the keys.
    this.tables = Object.fromEntries(
      tableIds.map((id) => [id, this.#tablesOf(id, stage)]),
    ) as Record<TableId, Tables>
    // For `npm run rewrite`, which must store items as the functions do.
    new CfnOutput(Stack.of(this), 'ReadShards', { value: `${stage.readShards}` })
    new CfnOutput(Stack.of(this), 'WriteShards', { value: `${stage.writeShards}` })
    new CfnOutput(Stack.of(this), 'Sources', { value: sourcesDigest() })
  }

  /** Right and variable come together, so that a function cannot have one without the other. */
  use({ table, index, actions }: TableActions): TableUse {
    const { current, allowed } = this.tables[table]
    return {
      statement: new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: allowed.map(({ tableArn }) => (index ? `${tableArn}/index/${index}` : tableArn)),
      }),
      environment: { [tableVariable(table)]: current.tableName },
    }
  }

  #tablesOf(id: TableId, stage: Stage): Tables {
    const own = this.#newTable(id, tables[id], stage)
    const names = stage.adopt?.[id] ?? []
    const adopted = names.map((name) => Table.fromTableName(this, `${id}Adopted-${name}`, name))
    const [current = own] = adopted
    // For operators: commands and restores use it.
    new CfnOutput(Stack.of(this), tableOutput(id), { value: current.tableName })
    return { current, allowed: [...adopted, own] }
  }

  #newTable(name: string, definition: TableDefinition, stage: Stage): Table {
    const { partitionKey, indexes, timeToLive } = definition
    const { onRemoval, deletionProtection, recoveryDays } = stage
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

const attribute = ({ name, type }: KeyAttribute) => ({
  name,
  type: { S: AttributeType.STRING, N: AttributeType.NUMBER }[type],
})
