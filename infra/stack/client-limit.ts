import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'
import { commonHeaders } from '../../shared/pipeline/http.ts'
import { gatewayResponses } from '../gateway.ts'
import type { Stage } from '../stages.ts'

/** Limits the requests of an API key and of an address. AWS WAF counts them over five minutes. */
export class ClientLimit extends Construct {
  constructor(
    scope: Construct,
    id: string,
    limit: NonNullable<Stage['clientLimit']>,
    resourceArn: string,
  ) {
    super(scope, id)
    // The functions ignore the case of `Bearer` and additional spaces.
    const textTransformations = ['LOWERCASE', 'COMPRESS_WHITE_SPACE'].map((type, priority) => ({
      type,
      priority,
    }))
    const customKeys = [{ header: { name: 'authorization', textTransformations } }]
    const field = { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] }
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      rules: [
        rule(0, 'Key', { limit: limit.key, aggregateKeyType: 'CUSTOM_KEYS', customKeys }),
        // Also of those who invent keys.
        rule(1, 'Address', { limit: limit.address, aggregateKeyType: 'IP' }),
      ],
      customResponseBodies: {
        Error: { contentType: 'APPLICATION_JSON', content: JSON.stringify(tooMany.body) },
      },
      visibilityConfig: metrics('All'),
      // If somebody adds a log by hand.
      dataProtectionConfig: { dataProtections: [{ action: 'SUBSTITUTION', field }] },
    })
    new CfnWebACLAssociation(this, 'Association', { webAclArn: acl.attrArn, resourceArn })
  }
}

const rule = (priority: number, name: string, counted: CfnWebACL.RateBasedStatementProperty) => {
  const statement = { rateBasedStatement: { ...counted, evaluationWindowSec: 300 } }
  const customResponse = {
    responseCode: tooMany.status,
    customResponseBodyKey: 'Error',
    responseHeaders,
  }
  return {
    priority,
    name,
    statement,
    action: { block: { customResponse } },
    visibilityConfig: metrics(name),
  }
}

/** Metrics, but no samples of requests, which would show API keys. */
const metrics = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
})

const { tooManyRequests: tooMany } = gatewayResponses
const { 'X-Request-Id': _, ...headers } = commonHeaders('', false) // AWS WAF knows no request id.
// AWS WAF usually notices within 30 seconds that a client sends less.
const responseHeaders = Object.entries({ ...headers, 'Retry-After': '30' }).map(
  ([name, value]) => ({ name, value }),
)
