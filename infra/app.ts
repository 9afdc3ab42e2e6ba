import { App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { PetStoreStack } from './pet-store-stack.ts'
import { StageError, stages } from './stages.ts'

const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })
try {
  new PetStoreStack(app, 'PetStoreStaging', stages.staging)
  new PetStoreStack(app, 'PetStoreProduction', stages.production)
} catch (error) {
  if (!(error instanceof StageError)) throw error
  console.error(error.message)
  // Not `exitCode`: the app would still write what there is of it when the process ends by itself.
  process.exit(1)
}
