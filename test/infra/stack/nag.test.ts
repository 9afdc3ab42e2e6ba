import { type Stack, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, test } from 'vitest'
import { stages } from '../../../infra/stages.ts'
import { operationIds } from '../../../shared/contract.ts'
import { stackOf } from './template.ts'

const everyOption = {
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0f5fcd1c',
  hostedZone: { id: 'Z0123456789', name: 'example.com' },
  alarmEmail: 'on-call@example.com',
  reservedConcurrency: 5,
  provisionedConcurrency: 2,
}

/** What is acknowledged, and where. */
const acceptedIn = (stack: Stack) =>
  stack.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data).map((rule) => `${node.path}: ${rule.replace('Annotation::', '')}`)),
    )

const managed = (policy: string) => `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`

describe('cdk-nag (AwsSolutions)', () => {
  test.each([
    ['staging', stages.staging],
    ['production', stages.production],
    ['production with every option', { ...stages.production, ...everyOption }],
  ])('finds nothing in %s but what is accepted with a reason', (_, stage) => {
    const { violations } = new AwsSolutionsChecks().validateScope(stackOf('Checked', stage))

    expect(violations).toEqual([])
  })

  test.each([
    ['staging', stages.staging, [] as string[]],
    ['production', stages.production, operationIds],
  ])('of %s, no more than this is accepted', (_, stage, canaries) => {
    const accepted = acceptedIn(stackOf('Checked', stage))

    expect(accepted.sort()).toEqual(
      [
        'Checked/Api/RestApi: AwsSolutions-APIG2',
        'Checked/Api/RestApi: AwsSolutions-APIG3',
        'Checked/Api/RestApi: AwsSolutions-APIG4',
        'Checked/Api/RestApi: AwsSolutions-APIG6',
        'Checked/Api/RestApi: AwsSolutions-COG4',
        `Checked/Api/RestApi: ${managed('service-role/AmazonAPIGatewayPushToCloudWatchLogs')}`,
        ...operationIds.map((id) => `Checked/${id}/Role: AwsSolutions-IAM5[Resource::*]`),
        ...canaries.map((id) => `Checked/${id}/Release: ${managed('service-role/AWSCodeDeployRoleForLambdaLimited')}`),
      ].sort(),
    )
  })
})
