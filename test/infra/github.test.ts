import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include'
import { expect, test } from 'vitest'
import { stackName, stages } from '../../infra/stages.ts'
import { synthesize, tableOf } from './stack/template.ts'

/** The properties of the role with which GitHub deploys a stage, or runs its smoke test. */
const roleOf = (Stage: string, role: 'Role' | 'SmokeRole') => {
  const templateFile = 'infra/github/deploy-role.yaml'
  const repository = {
    Owner: 'octo-org',
    OwnerId: '123456',
    Repository: 'octo-repo',
    RepositoryId: '456789',
  }
  // CDK's own validation takes seconds; `npm run lint:infra` has cfn-lint.
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'GitHub')
  new CfnInclude(stack, 'Template', { templateFile, parameters: { ...repository, Stage } })
  return Template.fromStack(stack).toJSON().Resources[role].Properties
}

test.each([
  ['staging', 'Role', 'staging'],
  ['production', 'SmokeRole', 'production-smoke'],
] as const)(
  'for %s, only jobs on main may assume the %s, in the environment %s',
  (stage, role, environment) => {
    expect(roleOf(stage, role).AssumeRolePolicyDocument.Statement.Condition).toEqual({
      StringEquals: {
        'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
        'token.actions.githubusercontent.com:sub': [
          { 'Fn::Sub': `repo:octo-org@123456/octo-repo@456789:environment:${environment}` },
          { 'Fn::Sub': `repo:octo-org/octo-repo:environment:${environment}` },
        ],
        'token.actions.githubusercontent.com:repository_id': '456789',
        'token.actions.githubusercontent.com:ref': 'refs/heads/main',
      },
    })
  },
)

test('the role of the smoke test may use the API key table, and no other table of the stage', () => {
  const { Policies } = roleOf('staging', 'SmokeRole')
  const { template } = synthesize('staging')

  const actions = Policies[0].PolicyDocument.Statement.flatMap(
    ({ Action }: { Action: string | string[] }) => Action,
  )
  const [, table = ''] = /table\/\$\{Stack\}-(\w+)\*/.exec(JSON.stringify(Policies)) ?? []
  const tables = Object.keys(template.findResources('AWS::DynamoDB::Table'))
  expect(actions).toEqual([
    'cloudformation:DescribeStacks',
    'dynamodb:PutItem',
    'dynamodb:DeleteItem',
  ])
  expect(tables.filter((name) => name.startsWith(table))).toEqual([tableOf(template, 'apiKeys')])
})

const deploy = readFileSync('.github/workflows/deploy.yml', 'utf8')

test.each(Object.values(stages))('$name can be deployed from GitHub', (stage) => {
  const role = readFileSync('infra/github/deploy-role.yaml', 'utf8')

  expect(role).toMatch(new RegExp(`AllowedValues: .*\\b${stage.name}\\b`))
  expect(deploy).toContain(`stage: ${stage.name}\n      stack: ${stackName(stage)}\n`)
})

const workflows = globSync('.github/workflows/*.yml').map((file) => readFileSync(file, 'utf8'))

test('a workflow that can assume a role runs no install script', () => {
  const deploying = workflows.filter((workflow) => workflow.includes('configure-aws-credentials'))

  const installs = deploying.flatMap((workflow) => workflow.match(/npm ci.*/g) ?? [])
  expect(new Set(installs)).toEqual(new Set(['npm ci --ignore-scripts']))
})

/** The steps of all workflows, as text. */
const steps = workflows.flatMap((workflow) => workflow.split(/\n {6}- /).slice(1))

test('a step that only informs fails no job, even if it hangs, and so cannot block the way back', () => {
  const informing = steps.filter((step) => /GITHUB_STEP_SUMMARY|GH_TOKEN/.test(step))

  expect(informing.length).toBeGreaterThan(1)
  for (const step of informing) {
    expect(step).toMatch(/^ +continue-on-error: true/m)
    expect(step).toMatch(/^ +timeout-minutes: [1-5]$/m)
  }
})

test('only a push compares templates: the way back to an older version does not wait for that', () => {
  const [compare = '', ...others] = steps.filter((step) => step.includes('.ci/diff "$LAST"'))

  expect(compare).toMatch(/^ +if: github\.event_name == 'push' && /m)
  expect(others).toEqual([])
})

test('only one step has a token of GitHub, and it runs before any install script', () => {
  expect(steps.filter((step) => step.includes('GH_TOKEN'))).toHaveLength(1)
  expect(deploy.indexOf('GH_TOKEN')).toBeLessThan(deploy.indexOf('npm ci'))
})

const NO_ID = 'must be the full id of a commit: 40 hexadecimal digits.'

test.each([
  ['f2318fc', NO_ID],
  ['0'.repeat(40), 'is no commit on main.'],
])('refuses to deploy %s', (COMMIT, problem) => {
  const [, script = ''] = steps.find((step) => step.includes('git checkout'))?.split('run: |') ?? []

  const env = { ...process.env, COMMIT }
  const { status, stdout } = spawnSync('bash', ['-e', '-c', script], { env, encoding: 'utf8' })

  expect([status, stdout]).toEqual([1, `::error::${COMMIT} ${problem}\n`])
})

test.each([
  ['echo true', /^reviewed=true\n$/],
  ['echo false', /^::warning::.* by hand .*\nreviewed=false\n$/],
  // No such environment, or GitHub does not respond.
  ['false', /^::warning::.* by hand .*\nreviewed=unknown\n$/],
])(
  'a push is deployed to production only if GitHub says that it has required reviewers: %s',
  (answer, expected) => {
    const [, script] = steps.find((step) => step.includes('gh api'))?.split('run: |') ?? []
    const [, production] = deploy.split('\n  production:\n')

    const gh = `gh() { [[ $1 != api ]] || { ${answer}; }; }`
    const github = { GITHUB_OUTPUT: '/dev/stdout', GITHUB_REPOSITORY: 'octo-org/octo-repo' }
    // The output must be a pipe, because a socket cannot be opened by its name.
    const args = ['-eo', 'pipefail', '-c', `{ ${gh}\n${script}\n} | cat`]
    const env = { ...process.env, ...github }
    const { status, stdout } = spawnSync('bash', args, { env, encoding: 'utf8' })

    expect(status).toBe(0)
    expect(stdout).toMatch(expected)
    expect(production).toContain(
      "(needs.build.outputs.reviewed == 'true' || github.event_name == 'workflow_dispatch')",
    )
  },
)
