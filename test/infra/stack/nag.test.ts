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

  test('production accepts exactly these findings', () => {
    const { stack } = synthesize('production')
    const accepted = stack.node.findAll().flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data))
        .map((rule) => `${node.path.replace(`${stack}/`, '')}: ${rule.replace('Annotation::', '')}`),
    )

    expect(accepted.sort()).toEqual(
      [
        ...['APIG2', 'APIG3', 'APIG4', 'APIG6', 'COG4'].map((rule) => `Api/RestApi: AwsSolutions-${rule}`),
        `Api/RestApi: ${managed('service-role/AmazonAPIGatewayPushToCloudWatchLogs')}`,
        ...operationIds.map((id) => `${id}/Role: AwsSolutions-IAM5[Resource::*]`),
        ...operationIds.map((id) => `${id}/Release: ${managed('service-role/AWSCodeDeployRoleForLambdaLimited')}`),
      ].sort(),
    )
  })
})
