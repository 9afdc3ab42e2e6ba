import { App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { ServiceStack } from '../../infra/stack/service-stack.ts'
import { type Stage, stages } from '../../infra/stages.ts'
import { collections, service } from '../../shared/service.ts'

// A later release of infra/app.ts: production adopts the restored tables, as infra/OPERATE.md says.
// Besides, both stages get changes that must keep the data. One of them is the SDK's DynamoDB
// client, so that the release before proves the lean client, and this one the other, without
// another deployment.
const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })
const change: Partial<Stage> = { release: 'all-at-once', readShards: 2, stockClient: true }
const restored = [...Object.keys(collections), 'idempotencyKeys']
const time = app.node.tryGetContext('restored')
const adopt = Object.fromEntries(
  restored.map((id) => [id, [`${service.stack}Production-Storage${id}-restored-${time}`]]),
)
new ServiceStack(app, `${service.stack}Staging`, { ...stages.staging, ...change })
new ServiceStack(app, `${service.stack}Production`, { ...stages.production, ...change, adopt })
