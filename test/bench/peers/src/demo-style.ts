// In the style of aws-samples/serverless-typescript-demo, with what its packages are today.
import { Logger } from '@aws-lambda-powertools/logger'
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware'
import { Tracer } from '@aws-lambda-powertools/tracer'
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import middy from '@middy/core'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { answer, notFound, unauthorized } from './answers.ts'
import { documentStore } from './document-store.ts'
import { isKnown } from './key-memory.ts'

const logger = new Logger()
const metrics = new Metrics()
const tracer = new Tracer()
const store = documentStore(DynamoDBDocumentClient.from(tracer.captureAWSv3Client(new DynamoDBClient())))

const getPet = async (event: APIGatewayProxyEvent) => {
  const petId = event.pathParameters?.petId
  try {
    if (!(await isKnown(event.headers.Authorization, store.readKey))) return answer(401, unauthorized)
    logger.info('Fetching a pet', { petId })
    const pet = await store.readPet(petId)
    if (!pet) {
      logger.warn('No pet found', { petId })
      return answer(404, notFound)
    }
    logger.info('Pet found', { petId })
    metrics.addMetric('petRetrieved', MetricUnit.Count, 1)
    metrics.addMetadata('petId', `${petId}`)
    return answer(200, pet)
  } catch (error) {
    logger.error('Unexpected error', error as Error)
    return answer(500, { message: 'Internal server error' })
  }
}

export const handler = middy(getPet)
  .use(captureLambdaHandler(tracer))
  .use(logMetrics(metrics))
  .use(injectLambdaContext(logger, { resetKeys: true, logEvent: true }))
