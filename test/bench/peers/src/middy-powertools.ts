// In the style of https://github.com/aws-samples/serverless-typescript-demo, with the current
// versions of its packages.
import { Logger } from '@aws-lambda-powertools/logger'
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware'
import { Tracer } from '@aws-lambda-powertools/tracer'
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import middy from '@middy/core'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { fields, isKnown, queryOf, response, type Store, unauthorized } from './list.ts'

const logger = new Logger()
const metrics = new Metrics()
const tracer = new Tracer()
const client = DynamoDBDocumentClient.from(tracer.captureAWSv3Client(new DynamoDBClient()))

const store: Store = {
  readKey: async (digest) => {
    const key = { TableName: process.env.API_KEYS_TABLE, Key: { digest }, ConsistentRead: true }
    return (await client.send(new GetCommand(key))).Item
  },
  list: async (status) => {
    const { Items = [] } = await client.send(new QueryCommand(queryOf(`${status}#0`)))
    return Items.slice(0, 1).map((item) =>
      Object.fromEntries(fields.map((name) => [name, item[name]])),
    )
  },
}

const list = async (event: APIGatewayProxyEvent) => {
  const status = event.queryStringParameters?.status ?? ''
  try {
    if (!(await isKnown(event.headers.Authorization, store.readKey)))
      return response(401, unauthorized)
    logger.info('Fetching pets', { status })
    const found = await store.list(status)
    logger.info('Pets found', { status, count: found.length })
    metrics.addMetric('petsRetrieved', MetricUnit.Count, found.length)
    metrics.addMetadata('status', status)
    return response(200, found)
  } catch (error) {
    logger.error('Unexpected error', error as Error)
    return response(500, { message: 'Internal server error' })
  }
}

export const handler = middy(list)
  .use(captureLambdaHandler(tracer))
  .use(logMetrics(metrics))
  .use(injectLambdaContext(logger, { resetKeys: true, logEvent: true }))
