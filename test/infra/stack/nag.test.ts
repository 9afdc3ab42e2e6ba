import { Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { everyOption, synthesize } from './template.ts'

const managed = (policy: string) => `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`

describe('cdk-nag (AwsSolutions)', () => {
  test.each([
    ['staging', 'staging', {}],
    ['production', 'production', {}],
    ['production with every option', 'production', everyOption],
  ] as const)('reports only accepted findings in %s', (_, name, options) => {
    const { violations } = new AwsSolutionsChecks().validateScope(synthesize(name, options).stack)

    expect(violations).toEqual([])
  })

  test.each([
    ['staging', [] as string[]],
    ['production', operationIds],
  ] as const)('%s accepts exactly these findings', (name, canaries) => {
    const { stack } = synthesize(name)
    const accepted = stack.node.findAll().flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data))
        .map((rule) => `${node.path.replace(`${stack}/`, '')}: ${rule.replace('Annotation::', '')}`),
    )

    expect(accepted.sort()).toEqual(
      [
        'Api/RestApi: AwsSolutions-APIG2',
        'Api/RestApi: AwsSolutions-APIG3',
        'Api/RestApi: AwsSolutions-APIG4',
        'Api/RestApi: AwsSolutions-APIG6',
        'Api/RestApi: AwsSolutions-COG4',
        `Api/RestApi: ${managed('service-role/AmazonAPIGatewayPushToCloudWatchLogs')}`,
        ...operationIds.map((id) => `${id}/Role: AwsSolutions-IAM5[Resource::*]`),
        ...canaries.map((id) => `${id}/Release: ${managed('service-role/AWSCodeDeployRoleForLambdaLimited')}`),
      ].sort(),
    )
  })
})
