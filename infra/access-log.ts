import { AccessLogFormat, AccessLogField as Field } from 'aws-cdk-lib/aws-apigateway'

/**
 * A line of JSON for each request, those included that reach no function. No header, no query and no body:
 * they may hold an API key. `requestId` is the one that answers carry and functions log.
 */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: Field.contextExtendedRequestId(),
    requestTime: Field.contextRequestTime(),
    sourceIp: Field.contextIdentitySourceIp(),
    protocol: Field.contextProtocol(),
    tlsVersion: '$context.tlsVersion',
    method: Field.contextHttpMethod(),
    // The template, not the path: what stands in its place may be anything, once a key is pasted into an address.
    resource: Field.contextResourcePath(),
    status: Field.contextStatus(),
    errorType: Field.contextErrorResponseType(),
    milliseconds: Field.contextResponseLatency(),
    integrationMilliseconds: Field.contextIntegrationLatency(),
    bytes: Field.contextResponseLength(),
    traceId: Field.contextXrayTraceId(),
  }),
)
