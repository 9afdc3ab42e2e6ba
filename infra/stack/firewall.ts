import { Stack } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'

type FirewallProps = { restApi: RestApi; rates: NonNullable<Stage['firewall']> }

/**
 * Blocks addresses and API keys that send too many requests. A request without a key counts by its
 * address only. What is blocked gets the gateway response WAF_FILTERED.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { restApi, rates }: FirewallProps) {
    super(scope, id)
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible(`${Stack.of(this).stackName}Firewall`),
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
  visibilityConfig: visible(name),
})

/** One key can be sent as `Bearer  key` or `bearer key`. */
const textTransformations = [
  { priority: 0, type: 'COMPRESS_WHITE_SPACE' },
  { priority: 1, type: 'LOWERCASE' },
]

// Without samples, which show headers, and so API keys.
const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: false,
})
