import { App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { service } from '../shared/service.ts'
import { PetStoreStack } from './stack/pet-store-stack.ts'
import { readContext, StageError, stages } from './stages.ts'

const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })
try {
  const { prefix, change } = readContext(app)
  new PetStoreStack(app, `${prefix}${service.stack}Staging`, { ...stages.staging, ...change })
  new PetStoreStack(app, `${prefix}${service.stack}Production`, { ...stages.production, ...change })
} catch (error) {
  if (!(error instanceof StageError)) throw error
  console.error(error.message)
  // Setting `exitCode` is not enough: the app writes what it has so far when the process ends by itself.
  process.exit(1)
}
