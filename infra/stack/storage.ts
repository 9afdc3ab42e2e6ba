import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AttributeType, BillingMode, type ITable, Table } from 'aws-cdk-lib/aws-dynamodb'
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
import { collectionsDigest } from '../bundle/collections-digest.ts'
import type { TableActions } from '../platform/functions.ts'
import type { Stage } from '../stages.ts'
import { allow } from './service-function.ts'

const digest = collectionsDigest()

/**
 * All tables that functions may use, because the live version has the new permissions during a
 * release, but maybe another table. New versions use the first.
 */
type Tables = [ITable, ...ITable[]]

/** The tables of a stage. */
export class Storage extends Construct {
  readonly tables: Record<TableId, Tables>

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    // (A cast, because `fromEntries` loses the names of the tables.)
    this.tables = Object.fromEntries(
      tableIds.map((id) => [id, this.#allowedTables(id, stage)]),
    ) as Record<TableId, Tables>
    // For `npm run rewrite`, which must store items as the functions do.
    new CfnOutput(Stack.of(this), 'ReadShards', { value: `${stage.readShards}` })
    new CfnOutput(Stack.of(this), 'WriteShards', { value: `${stage.writeShards}` })
    new CfnOutput(Stack.of(this), 'Sources', { value: digest })
  }

  /**
   * Returns the permission to use a table, and the variable with its name: a function cannot have
   * one without the other.
   */
  grant({ table, index, actions }: TableActions) {
    const allowed = this.tables[table]
    const names = actions.map((action) => `dynamodb:${action}`)
    const arns = allowed.map(({ tableArn }) => tableArn)
    const resources = index ? arns.map((arn) => `${arn}/index/${index}`) : arns
    return {
      statement: allow(names, resources),
      environment: { [tableVariable(table)]: allowed[0].tableName },
    }
  }

  #allowedTables(id: TableId, stage: Stage): Tables {
    const own = this.#newTable(id, tables[id], stage)
    const names = stage.adopt?.[id] ?? []
    const adopted = names.map((name) => Table.fromTableName(this, `${id}Adopted-${name}`, name))
    const [first = own, ...others] = [...adopted, own]
    // For commands and restores.
    new CfnOutput(Stack.of(this), tableOutput(id), { value: first.tableName })
    return [first, ...others]
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
