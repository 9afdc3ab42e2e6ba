import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Deployment } from '../../infra/commands/deployment.ts'
import { loadFunctions } from '../../infra/local/lambda.ts'
import { createLocalApi } from '../../infra/local/local-api.ts'
import { listeningAddress } from '../../infra/local/ports.ts'
import { tableName } from '../../shared/data/tables.ts'
import { service } from '../../shared/service.ts'
import './database.ts'

/** A deployment whose API is at `baseUrl`, and whose keys are in the database of the test file. */
export const deploymentAt = (baseUrl: string): Deployment => ({
  name: 'Test',
  baseUrl,
  apiKeysTable: tableName('apiKeys'),
  keyPrefix: 'local',
  operator: 'jane',
  perSecond: 1000,
  clockOffset: 0,
})

/** Serves the API in this process, on the database of the test file, until the test ends. */
export const serveDeployment = async (): Promise<Deployment> => {
  const { server } = createLocalApi(await loadFunctions())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return deploymentAt(`http://127.0.0.1:${listeningAddress(server).port}${service.basePath}`)
}
