import { App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { PetStoreStack } from '../../infra/stack/pet-store-stack.ts'
import { readContext, stages } from '../../infra/stages.ts'

// A later release of infra/app.ts, with a change that must keep the data.
const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })
const change = { ...readContext(app).change, readShards: 2 }
new PetStoreStack(app, 'PetStoreStaging', { ...stages.staging, ...change })
new PetStoreStack(app, 'PetStoreProduction', { ...stages.production, ...change })
