import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include'
import { expect, test } from 'vitest'
import { stackName, stages } from '../../infra/stages.ts'
import { temporaryFolder } from '../support/server.ts'
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
const steps = workflows.flatMap((workflow) => workflow.split(/\n {6}- |\n {2}\w+:\n/).slice(1))

/** Runs the script of the step that has this text, where these functions of bash stand in for commands. */
const runStep = (text: string, functions: string, variables = {}, cwd = '.') => {
  const script = steps.find((step) => step.includes(text))?.split('run: |')[1]
  // The output must be a pipe, because a socket cannot be opened by its name.
  const args = ['-eo', 'pipefail', '-c', `{ ${functions}\n${script}\n} | cat`]
  const github = { GITHUB_OUTPUT: '/dev/stdout', GITHUB_REPOSITORY: 'octo-org/octo-repo' }
  const env = { ...process.env, ...github, ...variables }
  const { status, stdout } = spawnSync('bash', args, { cwd, env, encoding: 'utf8' })
  return { status, stdout }
}

test('a step that only informs fails no job, even if it hangs, and so cannot block the way back', () => {
  const informing = steps.filter((step) => /GITHUB_STEP_SUMMARY|GH_TOKEN/.test(step))

  expect(informing.length).toBeGreaterThan(1)
  for (const step of informing) {
    expect(step).toMatch(/^ +continue-on-error: true/m)
    expect(step).toMatch(/^ +timeout-minutes: [1-5]$/m)
  }
})

test('a token of GitHub is in one step of a workflow, which runs before any install script', () => {
  const withToken = workflows.filter((workflow) => workflow.includes('GH_TOKEN'))

  expect(withToken).toHaveLength(2)
  for (const workflow of withToken) {
    expect(workflow.match(/GH_TOKEN/g)).toHaveLength(1)
    expect(workflow.indexOf('GH_TOKEN')).toBeLessThan(workflow.indexOf('npm ci'))
  }
})

/** A repository with three commits, the oldest first. */
const folder = temporaryFolder()
const git = (...args: string[]) => {
  const user = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  return execFileSync('git', [...user, ...args], { cwd: folder, encoding: 'utf8' }).trim()
}
const hasGit = !spawnSync('git').error
if (hasGit) git('init', '--quiet')
const commits = (hasGit ? ['a', 'b', 'c'] : []).map((message) => {
  git('commit', '--quiet', '--allow-empty', `--message=${message}`)
  return git('rev-parse', 'HEAD')
})

/** Each commit is a number. Deployments begin with the newest; those with a `!` failed. */
test.runIf(hasGit).each<[why: string, commit: number, deployments: string[], newer?: number]>([
  ['a newer one is deployed', 1, ['3', '1'], 3],
  ['a newer one was, before a way back', 1, ['1', '2'], 2],
  ['it is newer', 3, ['2', '1']],
  ['it is deployed', 2, ['2', '1']],
  ['the deployment of a newer one failed', 1, ['3!', '1']],
])('a push is skipped only after a newer one: %s', (_, commit, deployments, newer) => {
  const idOf = (place: number) => commits[place - 1]
  const lines = deployments.map((each) => `${each} ${idOf(Number.parseInt(each, 10))}\\n`)
  const gh = `gh() {
    case $2 in */*!/statuses) echo false ;; */statuses) echo true ;; *) printf '${lines.join('')}' ;; esac
  }`

  const variables = { COMMIT: idOf(commit), STAGE: 'staging' }
  const { stdout } = runStep('/deployments', gh, variables, folder)

  expect(/^newer=(.*)$/m.exec(stdout)?.[1]).toBe(newer && idOf(newer))
})

const NO_ID = 'must be the full id of a commit: 40 hexadecimal digits.'

test.each([
  ['f2318fc', NO_ID],
  ['0'.repeat(40), 'is no commit on main.'],
])('refuses to deploy %s', (COMMIT, problem) => {
  const stdout = `::error::${COMMIT} ${problem}\n`

  expect(runStep('git checkout', '', { COMMIT })).toEqual({ status: 1, stdout })
})

test.each([
  ['echo true', /^reviewed=true\n$/],
  ['echo false', /^::warning::.* by hand .*\nreviewed=false\n$/],
  // No such environment, or GitHub does not respond.
  ['false', /^::warning::.* by hand .*\nreviewed=unknown\n$/],
])(
  'a push is deployed to production only if GitHub says that it has required reviewers: %s',
  (answer, expected) => {
    const [, production] = deploy.split('\n  production:\n')

    const gh = `gh() { [[ $1 != api ]] || { ${answer}; }; }`
    const { status, stdout } = runStep('/environments/production', gh)

    expect(status).toBe(0)
    expect(stdout).toMatch(expected)
    expect(production).toContain(
      "(needs.build.outputs.reviewed == 'true' || github.event_name == 'workflow_dispatch')",
    )
  },
)
