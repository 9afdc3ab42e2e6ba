import { App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { ServiceStack } from '../../infra/stack/service-stack.ts'
import { type Stage, stackName, stages } from '../../infra/stages.ts'

// A later release of infra/app.ts: production adopts the restored tables, as infra/OPERATE.md says.
// Besides, both stages get changes that must keep the data. One of them is the SDK's DynamoDB
// client, so that the release before proves the lean client, and this one the other, without
// another deployment.
const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })
const change: Partial<Stage> = { release: 'all-at-once', readShards: 2, dynamoDBClient: 'sdk' }
const adopt = JSON.parse(app.node.tryGetContext('adopt'))
const { staging, production } = stages
new ServiceStack(app, stackName(staging), { ...staging, ...change })
new ServiceStack(app, stackName(production), { ...production, ...change, adopt })
