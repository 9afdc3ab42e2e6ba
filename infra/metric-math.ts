import { Duration } from 'aws-cdk-lib'
import { MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { type ITable, Operation } from 'aws-cdk-lib/aws-dynamodb'

const period = Duration.minutes(5)

/** `part` in percent of `whole`; nothing, where `whole` is nothing. */
export const percent = (part: Metric, whole: Metric): MathExpression =>
  new MathExpression({ expression: '100 * part / whole', usingMetrics: { part, whole }, period, label: '%' })

/**
 * A metric that DynamoDB keeps for each operation of a table, as one. It keeps none for an operation that is well, and
 * a sum with a missing part is missing (CDK's own `metric…ForOperations` are such sums): hence the zeros.
 */
export const sumOverOperations = (table: ITable, metricName: string): MathExpression => {
  const of = (operation: Operation): Metric =>
    table.metric(metricName, {
      dimensionsMap: { TableName: table.tableName, Operation: operation },
      statistic: Stats.SUM,
    })
  return new MathExpression({
    expression: 'FILL(getItem, 0) + FILL(putItem, 0) + FILL(query, 0)',
    usingMetrics: { getItem: of(Operation.GET_ITEM), putItem: of(Operation.PUT_ITEM), query: of(Operation.QUERY) },
    period,
    label: metricName,
  })
}
