import type { Acknowledgment } from 'aws-cdk-lib'

const managedPolicy = (name: string): string =>
  `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`

/**
 * The cdk-nag findings (AwsSolutions) that we accept, with the reason. Any other finding fails
 * `test/infra/app.test.ts`. Each list is acknowledged next to the construct that it is about.
 */
export const acceptedFindings = {
  api: [
    {
      id: 'AwsSolutions-APIG2',
      reason: 'The functions validate requests: API Gateway cannot name every invalid field in one 400.',
    },
    {
      id: 'AwsSolutions-APIG3',
      reason: 'A WAF costs a monthly fee; API keys and the throttle of the stage protect the API.',
    },
    { id: 'AwsSolutions-APIG4', reason: 'The functions check the API key first and return the Error body.' },
    {
      id: 'AwsSolutions-APIG6',
      reason:
        'The access log and the function logs record each request; execution logs would repeat it with its query.',
    },
    { id: 'AwsSolutions-COG4', reason: 'Clients are programs with API keys; there are no users to sign in.' },
    {
      id: managedPolicy('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      reason: 'The role is shared by all APIs of the account and region, so it cannot name a log group.',
    },
  ],
  release: [
    {
      id: managedPolicy('service-role/AWSCodeDeployRoleForLambdaLimited'),
      reason: 'AWS maintains what CodeDeploy needs; this is the smaller of its two policies for Lambda.',
    },
  ],
} satisfies Record<string, Acknowledgment[]>
