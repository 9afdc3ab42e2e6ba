import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { EndpointType, LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Row } from '../shared/contract.ts'
import { cors } from '../shared/response.ts'

/** An operation, and the function that serves it. */
export type Operation = { operationId: string; row: Row; handler: IFunction }

const VERSION = 'v1'

/** The REST API: each operation's method and path lead to its function, and browsers may call them from any page. */
export class Api extends Construct {
  constructor(scope: Construct, id: string, operations: Operation[]) {
    super(scope, id)
    const { stackName, region, urlSuffix } = Stack.of(this)
    const api = new RestApi(this, 'RestApi', {
      restApiName: stackName,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      deployOptions: { stageName: VERSION },
      cloudWatchRole: false,
    })
    for (const [path, there] of Map.groupBy(operations, ({ row }) => row.path)) route(api, path, there)
    // CDK's own output ends in a slash, which the base address does not.
    api.node.tryRemoveChild('Endpoint')
    new CfnOutput(Stack.of(this), 'BaseUrl', {
      value: `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${VERSION}`,
    })
  }
}

const route = (api: RestApi, path: string, operations: Operation[]): void => {
  const resource = api.root.resourceForPath(path)
  for (const { operationId, row, handler } of operations)
    resource.addMethod(row.method, new LambdaIntegration(handler, { allowTestInvoke: false }), {
      operationName: operationId,
    })
  resource.addCorsPreflight({
    allowOrigins: [cors.allowedOrigin],
    allowHeaders: cors.allowedHeaders,
    allowMethods: [...operations.map(({ row }) => row.method), 'OPTIONS'],
    maxAge: Duration.seconds(cors.maxAgeSeconds),
  })
}
