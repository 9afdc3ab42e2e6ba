import { CfnOutput, RemovalPolicy, Size, Stack, Validations } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  AccessLogField as Field,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'
import { acceptedFindings } from './accepted-findings.ts'
import {
  addGatewayResponses,
  answerPreflights,
  refuseOtherMethods,
  refuseUnknownPaths,
  serveReference,
} from './gateway-responses.ts'
import type { OperationFunction } from './operation-function.ts'

const VERSION = 'v1'

/** The REST API: each operation's method and path lead to its function, and browsers may call them from any page. */
export class Api extends Construct {
  readonly api: RestApi
  readonly accessLog: LogGroup

  constructor(scope: Construct, id: string, { operations, stage }: { operations: OperationFunction[]; stage: Stage }) {
    super(scope, id)
    this.accessLog = new LogGroup(this, 'AccessLog', { removalPolicy: stage.data, retention: stage.logRetention })
    this.api = this.#restApi(stage)
    Validations.of(this.api).acknowledge(...acceptedFindings.api)
    addGatewayResponses(this.api)
    refuseUnknownPaths(this.api)
    serveReference(this.api)
    for (const [path, there] of Map.groupBy(operations, ({ row }) => row.path)) route(this.api, path, there)
    // CDK's own output ends in a slash, which the base address does not.
    this.api.node.tryRemoveChild('Endpoint')
    new CfnOutput(Stack.of(this), 'BaseUrl', { value: this.#baseUrl(stage) })
  }

  #restApi(stage: Stage): RestApi {
    const api = new RestApi(this, 'RestApi', {
      restApiName: Stack.of(this).stackName,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      disableExecuteApiEndpoint: stage.domainName !== undefined,
      minCompressionSize: Size.kibibytes(1),
      // The account's right to write logs of APIs. A new account has none; another API may rely on it later.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: VERSION,
        throttlingRateLimit: stage.throttle.rate,
        throttlingBurstLimit: stage.throttle.burst,
        tracingEnabled: true,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
      },
    })
    if (api.node.defaultChild instanceof CfnRestApi) Object.assign(api.node.defaultChild, TLS)
    return api
  }

  #baseUrl({ domainName, certificateArn, hostedZone }: Stage): string {
    const { region, urlSuffix } = Stack.of(this)
    if (!domainName || !certificateArn)
      return `https://${this.api.restApiId}.execute-api.${region}.${urlSuffix}/${VERSION}`
    addDomain(this.api, { domainName, certificateArn, hostedZone, basePath: VERSION })
    return `https://${domainName}/${VERSION}`
  }
}

const route = (api: RestApi, path: string, operations: OperationFunction[]): void => {
  const resource = api.root.resourceForPath(path)
  const methods = [...operations.map(({ row }) => row.method), 'OPTIONS']
  for (const { operationId, row, alias } of operations)
    resource.addMethod(row.method, new LambdaIntegration(alias, { allowTestInvoke: false }), {
      operationName: operationId,
    })
  refuseOtherMethods(resource, methods)
  answerPreflights(resource, methods)
}

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

/** TLS 1.2 or newer, at whatever address the API is found. API Gateway's own default for regional APIs takes TLS 1.0. */
export const TLS = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PQ_2025_09,
  // Such a policy demands a mode; strict also refuses a request whose Host is not the name that TLS was set up with.
  endpointAccessMode: EndpointAccessMode.STRICT,
}

type Domain = {
  domainName: string
  certificateArn: string
  hostedZone: { id: string; name: string } | undefined
  basePath: string
}

/** Makes the API found under a name of one's own. Without a zone for it, an output says what the name must point to. */
export const addDomain = (api: RestApi, { domainName, certificateArn, hostedZone, basePath }: Domain): void => {
  const certificate = Certificate.fromCertificateArn(api, 'Certificate', certificateArn)
  const domain = api.addDomainName('Domain', { domainName, certificate, basePath, ...TLS })
  if (hostedZone) {
    const zone = HostedZone.fromHostedZoneAttributes(api, 'Zone', {
      hostedZoneId: hostedZone.id,
      zoneName: hostedZone.name,
    })
    const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain))
    new ARecord(api, 'Record', { zone, recordName: `${domainName}.`, target })
  } else {
    new CfnOutput(Stack.of(api), 'DomainTarget', { value: domain.domainNameAliasDomainName })
  }
}
