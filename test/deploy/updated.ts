import { App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { PetStoreStack } from '../../infra/stack/pet-store-stack.ts'
import { stages } from '../../infra/stages.ts'

// What a later release would deploy: both stages, with something changed that their data must outlive.
const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })
new PetStoreStack(app, 'PetStoreStaging', { ...stages.staging, readShards: 2 })
new PetStoreStack(app, 'PetStoreProduction', { ...stages.production, readShards: 2 })
