import type { IManagedPolicy, IRole } from 'aws-cdk-lib/aws-iam'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'

/** Who assumes a role, such as `lambda.amazonaws.com`, and what it allows. */
type RoleProps = {
  service: string
  policyName: string
  statements: PolicyStatement[]
  managedPolicies?: IManagedPolicy[]
}

/**
 * Creates a role with these permissions, and no others. CDK would add some of its own, such as for
 * each version of a function, and a role has 10,240 characters for all its permissions.
 */
export const newRole = (scope: Construct, id: string, props: RoleProps): IRole => {
  const { service, policyName, statements, managedPolicies } = props
  const role = new Role(scope, id, {
    assumedBy: new ServicePrincipal(service),
    inlinePolicies: { [policyName]: new PolicyDocument({ statements }) },
    ...(managedPolicies && { managedPolicies }),
  })
  return role.withoutPolicyUpdates()
}

export const allow = (actions: string[], resources: string[]): PolicyStatement =>
  new PolicyStatement({ actions, resources })
