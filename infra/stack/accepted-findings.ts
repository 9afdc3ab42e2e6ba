import type { Acknowledgment } from 'aws-cdk-lib'

const managedPolicy = (name: string): string =>
  `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`

/**
 * What the rules of cdk-nag (AwsSolutions) find and we keep, with the reason; everything else that they find fails
 * `test/infra/nag.test.ts`. Each list is acknowledged beside the construct that it is about.
 */
export const acceptedFindings = {
  api: [
    {
      id: 'AwsSolutions-APIG2',
      reason: 'The function validates: API Gateway cannot name every wrong field in one 400.',
    },
    {
      id: 'AwsSolutions-APIG3',
      reason: 'A WAF is paid for by the month; the throttle of the stage and API keys guard.',
    },
    { id: 'AwsSolutions-APIG4', reason: 'The function checks the key first, and answers with the Error body.' },
    {
      id: 'AwsSolutions-APIG6',
      reason: 'Access log and function logs have each request; execution logs repeat it, query included.',
    },
    { id: 'AwsSolutions-COG4', reason: 'Clients are programs with API keys; there are no users to sign in.' },
    {
      id: managedPolicy('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      reason: 'It belongs to the account and region, for the logs of every API there, so no log group can be named.',
    },
  ],
  role: [{ id: 'AwsSolutions-IAM5[Resource::*]', reason: 'The two X-Ray actions know no resource but *.' }],
  release: [
    {
      id: managedPolicy('service-role/AWSCodeDeployRoleForLambdaLimited'),
      reason: 'What CodeDeploy needs is for AWS to say; this is the smaller of its two policies for Lambda.',
    },
  ],
} satisfies Record<string, Acknowledgment[]>
