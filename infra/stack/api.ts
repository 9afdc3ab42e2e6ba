import { CfnOutput, RemovalPolicy, Size, Stack } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets'
import { Construct } from 'constructs'
import { service } from '../../shared/service.ts'
import type { Stage } from '../stages.ts'
import { Firewall } from './firewall.ts'
import { addFixedResponses, addMockMethods } from './mock-methods.ts'
import type { OperationFunction } from './operation-function.ts'
import { newLogGroup } from './service-function.ts'

/** `v1`: a stage in the words of API Gateway. Our `Stage` is a deployment. */
const API_STAGE = service.basePath.slice(1)

type ApiProps = { operations: OperationFunction[]; stage: Stage }

/** The REST API, which routes requests to the functions and writes the access log. */
export class Api extends Construct {
  readonly restApi: RestApi
  readonly accessLog: LogGroup

  constructor(scope: Construct, id: string, { operations, stage }: ApiProps) {
    super(scope, id)
    this.accessLog = newLogGroup(this, 'AccessLog', stage)
    this.restApi = this.#newRestApi(stage)
    const baseUrls = this.#baseUrls(stage)
    addFixedResponses(this.restApi, stage, baseUrls)
    for (const [path, group] of Map.groupBy(operations, ({ entry }) => entry.path))
      this.#addRoutes(path, group)
    // CDK's own output has a trailing slash.
    this.restApi.node.tryRemoveChild('Endpoint')
    new CfnOutput(Stack.of(this), 'BaseUrl', { value: baseUrls.at(-1) ?? '' })
    if (stage.firewall)
      new Firewall(this, 'Firewall', { restApi: this.restApi, rates: stage.firewall })
    if (stage.domainName) this.#addDomain(stage.domainName, stage)
  }

  #newRestApi(stage: Stage): RestApi {
    const restApi = new RestApi(this, 'RestApi', {
      restApiName: Stack.of(this).stackName,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      disableExecuteApiEndpoint: stage.domainOnly ?? false,
      minCompressionSize: Size.kibibytes(1),
      // All APIs of the account and region share this role, so it outlives the stack.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: API_STAGE,
        throttlingRateLimit: stage.throttle.rate,
        throttlingBurstLimit: stage.throttle.burst,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
      },
    })
    if (restApi.node.defaultChild instanceof CfnRestApi)
      Object.assign(restApi.node.defaultChild, tls)
    return restApi
  }

  #addRoutes(path: string, operations: OperationFunction[]): void {
    const resource = this.restApi.root.resourceForPath(path)
    for (const { operationId: operationName, entry, alias } of operations) {
      const integration = new LambdaIntegration(alias, { allowTestInvoke: false })
      resource.addMethod(entry.method, integration, { operationName })
    }
    const methods = operations.map(({ entry }) => entry.method)
    addMockMethods(resource, methods)
  }

  /** The one for callers is first. The last works before a new domain has its DNS record. */
  #baseUrls({ publicBaseUrl, domainName, domainOnly }: Stage): string[] {
    const { region, urlSuffix } = Stack.of(this)
    const defaultHost = `${this.restApi.restApiId}.execute-api.${region}.${urlSuffix}`
    const urls = publicBaseUrl ? [publicBaseUrl] : []
    if (domainName) urls.push(`https://${domainName}/${API_STAGE}`)
    if (!domainOnly) urls.push(`https://${defaultHost}/${API_STAGE}`)
    return urls
  }

  #addDomain(domainName: string, { certificateArn = '', hostedZone }: Stage): void {
    const { restApi } = this
    const certificate = Certificate.fromCertificateArn(restApi, 'Certificate', certificateArn)
    const props = { domainName, certificate, basePath: API_STAGE, ...tls }
    const domain = restApi.addDomainName('Domain', props)
    if (hostedZone) {
      const attributes = { hostedZoneId: hostedZone.id, zoneName: hostedZone.name }
      const zone = HostedZone.fromHostedZoneAttributes(restApi, 'Zone', attributes)
      const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain))
      new ARecord(restApi, 'Record', { zone, recordName: `${domainName}.`, target })
    } else {
      // For a DNS record made by hand.
      new CfnOutput(Stack.of(this), 'DomainTarget', { value: domain.domainNameAliasDomainName })
    }
  }
}

/** TLS 1.2 or newer, on both kinds of domain name. The default is TLS 1.0. */
const tls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PQ_2025_09,
  // The policy requires a mode. Strict refuses a Host that is not the TLS server name.
  endpointAccessMode: EndpointAccessMode.STRICT,
}

/** Without headers, query and body, which may contain an API key. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.extendedRequestId', // As in responses and in the logs of functions.
    requestTime: '$context.requestTime',
    sourceIp: '$context.identity.sourceIp',
    method: '$context.httpMethod',
    resource: '$context.resourcePath', // The template: a path may contain a pasted API key.
    status: '$context.status',
    errorType: '$context.error.responseType',
    milliseconds: '$context.responseLatency',
    integrationMilliseconds: '$context.integrationLatency',
  }),
)
