import type { Scenario } from './stand-in.ts'

/** How a block is run, and what it must do. */
export type Example = Omit<Scenario, 'permissions'> & {
  /** The actions of AWS and the other commands, in their order. */
  calls: string[]
  /** The first variable that is missing if nothing is set; `undefined` if it needs none. */
  needs?: string
}

const stack = 'PetStoreStaging'
const stage = 'staging'
const pets = `${stack}-Storagepets1234ABCD-5EF`
const keys = `${stack}-StorageapiKeys1234ABCD-5EF`
const ARN = 'arn:aws:dynamodb:eu-central-1:123456789012:table/pets'
const time = '2026-11-20T12:00:00Z'
/** What the operator has pasted before. */
export const ask = `ask() { printf '%s? Type yes: ' "$1"; read -r answer; [ "$answer" = yes ]; }`

const outputs = {
  StackStatus: 'UPDATE_COMPLETE',
  Outputs: [
    { OutputKey: 'PetsTable', OutputValue: pets },
    { OutputKey: 'ApiKeysTable', OutputValue: keys },
    { OutputKey: 'IdempotencyKeysTable', OutputValue: `${stack}-StorageidempotencyKeys1234-5EF` },
    { OutputKey: 'BaseUrl', OutputValue: 'https://example.com/v1' },
  ],
}
const backup = {
  BackupArn: `${ARN}/backup/01489602797149-73d8d5bc`,
  BackupCreationDateTime: time,
}
const table = (TableStatus: string) => ({ Table: { TableStatus, TableArn: ARN } })
const resource = (LogicalResourceId: string, PhysicalResourceId: string, ResourceType: string) => ({
  LogicalResourceId,
  PhysicalResourceId,
  ResourceType,
  ResourceStatus: 'CREATE_COMPLETE',
})
const prepared = [
  'dynamodb:DescribeTable',
  'dynamodb:UpdateContinuousBackups',
  'dynamodb:DescribeTable',
  'dynamodb:TagResource',
  'dynamodb:UpdateTable',
  'dynamodb:Scan',
]

/** An example of each shell block, by file and section, in their order. */
export const examples: Record<string, Example[]> = {
  'infra/OPERATE.md: The access log stays empty': [
    {
      variables: { stack },
      needs: 'stack',
      responses: {
        'cloudformation:ListStackResources': [
          { StackResourceSummaries: [resource('ApiCloudWatchRole', 'writer', 'AWS::IAM::Role')] },
        ],
        'iam:GetRole': [{ Role: { Arn: 'arn:aws:iam::123456789012:role/writer' } }],
      },
      calls: ['cloudformation:ListStackResources', 'iam:GetRole', 'apigateway:PATCH'],
    },
  ],
  'infra/OPERATE.md: API keys': [
    { variables: { stage }, needs: 'stage', calls: ['npm', 'npm'] },
    { variables: { stage, keyId: '1' }, needs: 'keyId', calls: ['npm'] },
    { variables: { stage, keyId: '1' }, needs: 'keyId', calls: ['npm'] },
  ],
  'infra/OPERATE.md: Procedures': [{ calls: [] }],
  'infra/OPERATE.md: Go back to an older version': [
    {
      variables: { stack },
      needs: 'stack',
      responses: {
        'codedeploy:ListDeployments': [{ deployments: ['d-1', 'd-2'] }],
        'codedeploy:GetDeployment': [
          { deploymentInfo: { applicationName: `${stack}-Release` } },
          { deploymentInfo: { applicationName: 'Other-Release' } },
        ],
      },
      calls: [
        'codedeploy:ListDeployments',
        'codedeploy:GetDeployment',
        'codedeploy:StopDeployment',
        'codedeploy:GetDeployment',
      ],
    },
  ],
  'infra/OPERATE.md: Stop writes': [
    {
      variables: { stack, concurrency: '0' },
      needs: 'concurrency',
      responses: {
        'lambda:ListFunctions': [
          {
            Functions: ['createPet', 'listPets', 'ReleaseHook'].map((id) => ({
              FunctionName: `${stack}-${id}`,
              Role: `arn:aws:iam::123456789012:role/${stack}-${id}`,
            })),
          },
        ],
        'iam:GetRolePolicy': ['PutItem', 'Query'].map((action) => ({
          PolicyDocument: `{"Action":"dynamodb:${action}"}`,
        })),
      },
      calls: [
        'lambda:ListFunctions',
        'iam:GetRolePolicy',
        'lambda:PutFunctionConcurrency',
        'iam:GetRolePolicy',
      ],
    },
  ],
  'infra/OPERATE.md: Restore data': [
    {
      variables: { stack, time },
      needs: 'time',
      responses: { 'cloudformation:DescribeStacks': [{ Stacks: [outputs] }] },
      calls: [
        'cloudformation:DescribeStacks',
        'dynamodb:RestoreTableToPointInTime',
        'dynamodb:Scan',
        'dynamodb:RestoreTableToPointInTime',
        'dynamodb:Scan',
      ],
    },
    {
      variables: { deleted: pets },
      needs: 'deleted',
      responses: { 'dynamodb:ListBackups': [{ BackupSummaries: [backup] }] },
      calls: ['dynamodb:ListBackups', 'dynamodb:RestoreTableFromBackup', 'dynamodb:DescribeBackup'],
    },
    {
      variables: {
        stage,
        days: '1',
        protection: '--no-deletion-protection-enabled',
        tables: `${pets}\n${keys}`,
      },
      needs: 'stage',
      responses: { 'dynamodb:DescribeTable': [table('ACTIVE')] },
      calls: [
        'sleep',
        ...prepared,
        'sleep',
        ...prepared.toSpliced(2, 0, 'dynamodb:UpdateTimeToLive'),
      ],
    },
  ],
  'infra/OPERATE.md: Bring one pet back': [
    {
      variables: { stack, time },
      needs: 'stack',
      responses: {
        'cloudformation:DescribeStacks': [{ Stacks: [outputs] }],
        'dynamodb:DescribeTable': [table('CREATING'), table('ACTIVE')],
      },
      calls: [
        'cloudformation:DescribeStacks',
        'dynamodb:RestoreTableToPointInTime',
        'dynamodb:DescribeTable',
        'dynamodb:DescribeTable',
      ],
    },
    {
      variables: { copy: 'copy', pets, pet: '7' },
      needs: 'copy',
      responses: { 'dynamodb:GetItem': [{ Item: { id: { N: '7' } } }] },
      calls: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    },
    {
      variables: { copy: 'copy' },
      needs: 'copy',
      input: 'yes\n',
      calls: ['dynamodb:DeleteTable'],
    },
  ],
  'infra/OPERATE.md: Add an index to an adopted table': [
    {
      variables: { table: pets },
      needs: 'table',
      calls: ['dynamodb:UpdateTable', 'dynamodb:DescribeTable'],
    },
  ],
  'infra/OPERATE.md: Rewrite items': [{ variables: { stage }, needs: 'stage', calls: ['npm'] }],
  'infra/OPERATE.md: A failed deployment is stuck': [
    {
      variables: { stack },
      needs: 'stack',
      responses: {
        'cloudformation:ListStackResources': [
          {
            StackResourceSummaries: ['1', '2'].map((version) =>
              resource(
                `Version${version}`,
                `arn:aws:lambda:eu-central-1:123456789012:function:createPet:${version}`,
                'AWS::Lambda::Version',
              ),
            ),
          },
        ],
      },
      calls: ['cloudformation:ListStackResources', 'lambda:UpdateAlias', 'lambda:UpdateAlias'],
    },
  ],
  'infra/OPERATE.md: Delete a deployment': [
    { variables: { stack }, needs: 'stack', input: 'yes\n', calls: ['npx'] },
  ],
  'infra/README.md: The first day of production': [
    {
      variables: {
        link: 'https://sns.example.com/?TopicArn=arn:aws:sns:eu-central-1:123456789012:t&Token=abc',
      },
      needs: 'link',
      calls: ['sns:ConfirmSubscription'],
    },
  ],
  'infra/README.md: From GitHub': [
    {
      variables: { stage, repository: 'octo-org/octo-repo' },
      needs: 'stage',
      responses: {
        gh: ['OwnerId=1 RepositoryId=2\n'],
        'cloudformation:DescribeStacks': [{ Stacks: [outputs] }],
        'cloudformation:GetTemplateSummary': [
          {
            Parameters: ['Stage', 'Owner', 'OwnerId', 'Repository', 'RepositoryId'].map((name) => ({
              ParameterKey: name,
            })),
          },
        ],
        'cloudformation:CreateChangeSet': [{ Id: 'arn:aws:cloudformation:change-set' }],
        'cloudformation:DescribeChangeSet': [{ Status: 'CREATE_COMPLETE' }],
      },
      calls: [
        'gh',
        'cloudformation:DescribeStacks',
        'cloudformation:GetTemplateSummary',
        'cloudformation:CreateChangeSet',
        'cloudformation:DescribeChangeSet',
        'cloudformation:ExecuteChangeSet',
        'cloudformation:DescribeStacks',
        'cloudformation:DescribeStacks',
      ],
    },
  ],
}
