import { CfnOutput, RemovalPolicy, Size, Stack, Validations } from 'aws-cdk-lib'
import {
  CfnRestApi,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { acceptedFindings } from './accepted-findings.ts'
import { accessLogFormat } from './access-log.ts'
import { addDomain, TLS } from './custom-domain.ts'
import {
  addGatewayResponses,
  answerPreflights,
  refuseOtherMethods,
  refuseUnknownPaths,
  serveReference,
} from './edge.ts'
import type { OperationFunction } from './operation-function.ts'
import type { Stage } from './stages.ts'

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
