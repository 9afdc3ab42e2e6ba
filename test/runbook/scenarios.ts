import type { Scenario } from './stand-in.ts'

/** How a block is run, and what it must do. */
export type Example = Omit<Scenario, 'permissions'> & {
  /** The actions of AWS and the other commands, in their order. */
  calls: string[]
}

const stack = 'PetStoreStaging'
const stage = 'staging'
export const pets = `${stack}-Storagepets1234ABCD-5EF`
const keys = `${stack}-StorageapiKeys1234ABCD-5EF`
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
  BackupArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/pets/backup/01489602797149',
  BackupCreationDateTime: time,
}
const tables = `${keys}\n${pets}`
const suffix = '-restored'
const made = [`table ${pets}-restored`, `table ${keys}-restored`]
const prepared = [
  'dynamodb:DescribeTable',
  'dynamodb:DescribeTable',
  'dynamodb:TagResource',
  'dynamodb:UpdateContinuousBackups',
]

/** An example of each shell block, by file and section, in their order. */
export const examples: Record<string, Example[]> = {
  'infra/OPERATE.md: The access log stays empty': [
    {
      variables: { stack },
      responses: {
        'cloudformation:ListStackResources': [
          {
            StackResourceSummaries: [
              { LogicalResourceId: 'ApiCloudWatchRole', PhysicalResourceId: 'writer' },
            ],
          },
        ],
        'iam:GetRole': [{ Role: { Arn: 'arn:aws:iam::123456789012:role/writer' } }],
      },
      calls: ['cloudformation:ListStackResources', 'iam:GetRole', 'apigateway:PATCH'],
    },
  ],
  'infra/OPERATE.md: API keys': [
    { variables: { stage }, calls: ['npm'] },
    { variables: { stage }, calls: ['npm'] },
    { variables: { stage, keyId: '1' }, calls: ['npm'] },
    { variables: { stage, keyId: '1' }, calls: ['npm'] },
  ],
  'infra/OPERATE.md: Procedures': [{ calls: [] }, { calls: [] }],
  'infra/OPERATE.md: Go back to an older version': [
    {
      variables: { stack },
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
  'infra/OPERATE.md: Stop writes': ['Put', 'Delete'].map((change) => ({
    variables: { stack },
    responses: {
      'lambda:ListFunctions': [
        {
          Functions: ['createPet', 'listPets'].map((id) => ({
            FunctionName: `${stack}-${id}`,
            Environment: { Variables: id === 'createPet' ? { IDEMPOTENCY_KEYS_TABLE: keys } : {} },
          })),
        },
      ],
    },
    calls: ['lambda:ListFunctions', `lambda:${change}FunctionConcurrency`],
  })),
  'infra/OPERATE.md: Restore data': [
    {
      variables: { stack },
      responses: { 'cloudformation:DescribeStacks': [{ Stacks: [outputs] }] },
      calls: ['cloudformation:DescribeStacks'],
    },
    {
      variables: { tables, time },
      calls: ['dynamodb:RestoreTableToPointInTime', 'dynamodb:RestoreTableToPointInTime'],
    },
    {
      variables: { tables: pets },
      responses: { 'dynamodb:ListBackups': [{ BackupSummaries: [backup] }] },
      calls: ['dynamodb:ListBackups', 'dynamodb:RestoreTableFromBackup'],
    },
    {
      variables: { tables, suffix, stage, days: '1' },
      made,
      calls: [...prepared, ...prepared],
    },
    {
      variables: { tables, suffix, protection: '--no-deletion-protection-enabled' },
      made,
      calls: [
        'dynamodb:UpdateTable',
        'dynamodb:DescribeTimeToLive',
        'dynamodb:UpdateTimeToLive',
        'dynamodb:UpdateTable',
      ],
    },
  ],
  'infra/OPERATE.md: Bring one pet back': [
    {
      variables: { stack, time },
      responses: { 'cloudformation:DescribeStacks': [{ Stacks: [outputs] }] },
      calls: [
        'cloudformation:DescribeStacks',
        'dynamodb:RestoreTableToPointInTime',
        'dynamodb:DescribeTable',
        'dynamodb:DescribeTable',
      ],
    },
    {
      variables: { copy: 'copy', pets, pet: '7' },
      responses: { 'dynamodb:GetItem': [{ Item: { id: { N: '7' } } }] },
      calls: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    },
    {
      variables: { copy: 'copy' },
      input: 'yes\n',
      calls: ['dynamodb:DeleteTable'],
    },
  ],
  'infra/OPERATE.md: Add an index to an adopted table': [
    ...['Update', 'Describe'].map((verb) => ({
      variables: { table: pets },
      made: [`table ${pets}`],
      calls: [`dynamodb:${verb}Table`],
    })),
  ],
  'infra/OPERATE.md: Rewrite items': [{ variables: { stage }, calls: ['npm'] }],
  'infra/OPERATE.md: A failed deployment is stuck': [
    {
      variables: { stack },
      responses: {
        'cloudformation:ListStackResources': [
          {
            StackResourceSummaries: ['1', '2'].map((version) => ({
              PhysicalResourceId: `arn:aws:lambda:eu-central-1:123456789012:function:createPet:${version}`,
              ResourceType: 'AWS::Lambda::Version',
              ResourceStatus: 'CREATE_COMPLETE',
            })),
          },
        ],
      },
      calls: ['cloudformation:ListStackResources', 'lambda:UpdateAlias', 'lambda:UpdateAlias'],
    },
  ],
  'infra/OPERATE.md: Delete a deployment': [
    { variables: { stack }, input: 'yes\n', calls: ['npx'] },
  ],
  'infra/README.md: The first day of production': [
    {
      variables: {
        link: 'https://sns.example.com/?TopicArn=arn:aws:sns:eu-central-1:123456789012:t&Token=abc',
      },
      calls: ['sns:ConfirmSubscription'],
    },
  ],
  'infra/README.md: From GitHub': [
    {
      variables: { stage, repository: 'octo-org/octo-repo' },
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
