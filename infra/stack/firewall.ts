import { Stack } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'

type FirewallProps = { restApi: RestApi; rates: NonNullable<Stage['firewall']> }

/**
 * Blocks addresses and API keys that send too many requests. A request without a key counts for its
 * address only. Blocked requests get the gateway response WAF_FILTERED.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { restApi, rates }: FirewallProps) {
    super(scope, id)
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: withoutSamples(`${Stack.of(this).stackName}Firewall`),
      rules: [
        newRule(0, 'Address', { limit: rates.perAddress, aggregateKeyType: 'IP' }),
        newRule(1, 'Key', {
          limit: rates.perKey,
          aggregateKeyType: 'CUSTOM_KEYS',
          customKeys: [{ header: { name: 'Authorization', textTransformations } }],
        }),
      ],
    })
    const { stageArn } = restApi.deploymentStage
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: acl.attrArn })
  }
}

type Rate = Omit<CfnWebACL.RateBasedStatementProperty, 'evaluationWindowSec'>

const newRule = (priority: number, name: string, rate: Rate): CfnWebACL.RuleProperty => ({
  name,
  priority,
  action: { block: {} },
  statement: { rateBasedStatement: { ...rate, evaluationWindowSec: 300 } },
  visibilityConfig: withoutSamples(name),
})

/** So that `Bearer  key` and `bearer key` count as one. */
const textTransformations = [
  { priority: 0, type: 'COMPRESS_WHITE_SPACE' },
  { priority: 1, type: 'LOWERCASE' },
]

// Samples would show headers, and so API keys.
const withoutSamples = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: false,
})
