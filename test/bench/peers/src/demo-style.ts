// In the style of https://github.com/aws-samples/serverless-typescript-demo, with the current versions of its packages.
import { Logger } from '@aws-lambda-powertools/logger'
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware'
import { Tracer } from '@aws-lambda-powertools/tracer'
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import middy from '@middy/core'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { isKnown, notFound, type Pet, response, type Store, unauthorized } from './get-pet.ts'

const logger = new Logger()
const metrics = new Metrics()
const tracer = new Tracer()
const client = DynamoDBDocumentClient.from(tracer.captureAWSv3Client(new DynamoDBClient()))

const read = async (TableName: string | undefined, Key: Record<string, unknown>) => {
  const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))
  return Item
}

const store: Store = {
  readKey: (digest) => read(process.env.API_KEYS_TABLE, { digest }),
  readPet: async (petId) => {
    const item = await read(process.env.PETS_TABLE, { id: Number(petId) })
    return item && { id: item.id, name: item.name, categoryId: item.categoryId, status: item.status }
  },
}

const getPet = (readPet: Store['readPet']) => async (event: APIGatewayProxyEvent) => {
  const petId = event.pathParameters?.petId ?? ''
  try {
    if (!(await isKnown(event.headers.Authorization, store.readKey))) return response(401, unauthorized)
    logger.info('Fetching a pet', { petId })
    const pet = await readPet(petId)
    if (!pet) {
      logger.warn('No pet found', { petId })
      return response(404, notFound)
    }
    logger.info('Pet found', { petId })
    metrics.addMetric('petRetrieved', MetricUnit.Count, 1)
    metrics.addMetadata('petId', petId)
    return response(200, pet)
  } catch (error) {
    logger.error('Unexpected error', error as Error)
    return response(500, { message: 'Internal server error' })
  }
}

const demo = (readPet: Store['readPet']) =>
  middy(getPet(readPet))
    .use(captureLambdaHandler(tracer))
    .use(logMetrics(metrics))
    .use(injectLambdaContext(logger, { resetKeys: true, logEvent: true }))

export const handler = demo(store.readPet)

const PET: Pet = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }

/** The same without reading the pet, to measure what the middlewares add. */
export const withoutRead = demo(async () => PET)
