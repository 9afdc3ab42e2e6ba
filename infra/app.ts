import { App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { PetStoreStack } from './pet-store-stack.ts'
import { checkPrefix, StageError, stages } from './stages.ts'

const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })
// `-c prefix=Blue` makes BluePetStoreStaging: several copies in one account and region.
const prefix: string = app.node.tryGetContext('prefix') ?? ''
try {
  checkPrefix(prefix)
  new PetStoreStack(app, `${prefix}PetStoreStaging`, stages.staging)
  new PetStoreStack(app, `${prefix}PetStoreProduction`, stages.production)
} catch (error) {
  if (!(error instanceof StageError)) throw error
  console.error(error.message)
  // Not `exitCode`: the app would still write what there is of it when the process ends by itself.
  process.exit(1)
}
