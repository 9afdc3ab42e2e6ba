import { App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { ServiceStack } from '../../infra/stack/service-stack.ts'
import { type Stage, stackName, stages } from '../../infra/stages.ts'
import { tableIds } from '../../shared/data/tables.ts'

// A later release of infra/app.ts: production adopts the restored tables, as infra/OPERATE.md says.
// Besides, both stages get changes that must keep the data. One of them is the SDK's DynamoDB
// client, so that the release before proves the lean client, and this one the other, without
// another deployment.
const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })
const change: Partial<Stage> = { release: 'all-at-once', readShards: 2, dynamoDBClient: 'sdk' }
const time = app.node.tryGetContext('restored')
const { staging, production } = stages
const restored = tableIds
  .filter((id) => id !== 'apiKeys')
  .map((id) => [id, [`${stackName(production)}-Storage${id}-restored-${time}`]])
const adopt = Object.fromEntries(restored)
new ServiceStack(app, stackName(staging), { ...staging, ...change })
new ServiceStack(app, stackName(production), { ...production, ...change, adopt })
