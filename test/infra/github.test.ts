import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include'
import { expect, test } from 'vitest'
import { synthesize } from './stack/template.ts'

/** The properties of the role with which GitHub deploys a stage. */
const roleOf = (Stage: string) => {
  const templateFile = 'infra/github/deploy-role.yaml'
  const repository = { Owner: 'octo-org', OwnerId: '123456', Repository: 'octo-repo', RepositoryId: '456789' }
  const stack = new Stack(new App(), 'GitHub')
  new CfnInclude(stack, 'Template', { templateFile, parameters: { ...repository, Stage } })
  return Template.fromStack(stack).toJSON().Resources.Role.Properties
}

test.each(['staging', 'production'])('only jobs on main for %s may assume its role', (stage) => {
  const { AssumeRolePolicyDocument } = roleOf(stage)

  expect(AssumeRolePolicyDocument.Statement.Condition).toEqual({
    StringEquals: {
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': [
        { 'Fn::Sub': `repo:octo-org@123456/octo-repo@456789:environment:${stage}` },
        { 'Fn::Sub': `repo:octo-org/octo-repo:environment:${stage}` },
      ],
      'token.actions.githubusercontent.com:repository_id': '456789',
      'token.actions.githubusercontent.com:ref': 'refs/heads/main',
    },
  })
})

test('the role may use the API key table, and no other table of the stage', () => {
  const { Policies } = roleOf('staging')
  const { template } = synthesize('staging')

  const [, table] = /table\/\$\{Stack\}-(\w+)\*/.exec(JSON.stringify(Policies)) ?? []
  const names = Object.keys(template.findResources('AWS::DynamoDB::Table'))
  expect(names.filter((name) => name.startsWith(table ?? ''))).toEqual([expect.stringContaining('apiKeys')])
})
