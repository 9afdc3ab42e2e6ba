import { fileURLToPath } from 'node:url'
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib'
import type { LambdaApplication } from 'aws-cdk-lib/aws-codedeploy'
import type { Construct } from 'constructs'
import { settings } from '../../shared/settings.ts'
import type { Stage } from '../stages.ts'
import type { OperationFunction } from './operation-function.ts'
import { allow, ServiceFunction } from './service-function.ts'
import type { Storage } from './storage.ts'

type HookProps = {
  application: LambdaApplication
  operations: OperationFunction[]
  storage: Storage
  stage: Stage
}

/** The function that checks the new versions of all operations: release-hook.ts. */
export class HookFunction extends ServiceFunction {
  constructor(scope: Construct, id: string, props: HookProps) {
    const { application, operations, storage, stage } = props
    const putKeys = storage.use({ table: 'apiKeys', actions: ['PutItem'] })
    const versions = operations.map(({ handler }) => handler.currentVersion)
    const versionArns = versions.map(({ functionArn }) => functionArn)
    const names = versions.map(({ lambda, version }) => `${lambda.functionName}:${version}`)
    super(scope, id, {
      stage: { ...stage, dynamoDBClient: 'sdk' }, // Nobody waits for its cold start.
      entry: fileURLToPath(new URL('release-hook.ts', import.meta.url)),
      policyName: 'Hook',
      statements: [
        putKeys.statement,
        allow(['lambda:InvokeFunction'], versionArns),
        allow(['codedeploy:PutLifecycleEventHookExecutionStatus'], [groupsArn(application)]),
      ],
      environment: {
        ...putKeys.environment,
        [settings.keyPrefix]: stage.keyPrefix,
        NEW_VERSIONS: names.join(), // No ARNs: a function has 4 KB for all its variables.
      },
      timeout: Duration.minutes(5), // For all versions, one after another, in a busy account.
      memorySize: 256,
    })
  }
}

/** The ARN of all deployment groups of an application. */
const groupsArn = (application: LambdaApplication): string =>
  Stack.of(application).formatArn({
    service: 'codedeploy',
    resource: 'deploymentgroup',
    resourceName: `${application.applicationName}/*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
