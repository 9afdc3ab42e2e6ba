import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { ServiceStack } from '../../../infra/stack/service-stack.ts'
import { type Stage, stackName, stages } from '../../../infra/stages.ts'
import type { TableId } from '../../../shared/data/tables.ts'

type StageName = keyof typeof stages

/** Every optional setting of a stage except `adopt`. */
export const everyOption = {
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0f5fcd1c',
  hostedZone: { id: 'Z0123456789', name: 'example.com' },
  domainOnly: true,
  alarmEmail: 'on-call@example.com',
  publicBaseUrl: 'https://shop.example.com/api',
  firewall: { perAddress: 1000, perKey: 5000 },
  reservedConcurrency: 5,
  dynamoDBClient: 'sdk',
} as const satisfies Partial<Stage>

const synthesized = new Map<string, { stack: ServiceStack; template: Template }>()

/** A stage's stack and template. Each is synthesized once, for all test files. */
export const synthesize = (name: StageName, options: Partial<Stage> = {}) => {
  const key = JSON.stringify([name, options])
  const known = synthesized.get(key)
  if (known) return known
  // Bundling and CDK's own validation of the template take seconds.
  const context = { ...CURRENTLY_RECOMMENDED_FLAGS, 'aws:cdk:bundling-stacks': [] }
  const app = new App({ builtinCloudFormationValidation: false, context })
  const stage = { ...stages[name], ...options }
  const stack = new ServiceStack(app, stackName(stage), stage)
  const result = { stack, template: Template.fromStack(stack) }
  synthesized.set(key, result)
  return result
}

export const templateOf = (name: StageName, options?: Partial<Stage>): Template =>
  synthesize(name, options).template

/** The resource with this logical id. */
export const resource = (template: Template, logicalId: string) =>
  template.toJSON().Resources[logicalId]

/** The resources of a type, as pairs of logical id and resource. */
export const resourcesOf = (template: Template, type: string) =>
  Object.entries(template.findResources(type))

/** The properties of each resource of a type. */
export const propertiesOf = (template: Template, type: string) =>
  resourcesOf(template, type).map(([, { Properties }]) => Properties)

/** The alarms, with their logical ids and the names that they have in the code. */
export const alarmsOf = (template: Template) =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({
    id,
    name: id.slice(0, -8).replace('MonitoringAlarms', ''), // CDK appends a hash.
    ...Properties,
  }))

/** A text as CloudFormation joins it in a region, with the logical ids of the resources. */
export const joined = (value: string | { 'Fn::Join': [string, (string | object)[]] }): string => {
  if (typeof value === 'string') return value
  const [separator, parts] = value['Fn::Join']
  const values: Record<string, string> = {
    'AWS::Region': 'eu-central-1',
    'AWS::URLSuffix': 'amazonaws.com',
  }
  const texts = parts.map((part) => {
    const [name] = typeof part === 'string' ? [part] : Object.values(part).flat()
    return values[name] ?? name
  })
  return texts.join(separator)
}

/** The OpenAPI document that API Gateway serves, with the addresses that `joined` makes. */
export const documentOf = (template: Template): string => {
  const texts = propertiesOf(template, 'AWS::ApiGateway::Method')
    .flatMap(({ Integration }) => Integration.IntegrationResponses ?? [])
    .map(({ ResponseTemplates = '' }) => joined(ResponseTemplates['application/json'] ?? ''))
  return `${texts.find((text) => text.startsWith('{"openapi"'))}`
}

/** The logical id of the only resource of a type. */
export const onlyId = (template: Template, type: string, Properties?: object): string => {
  const [id, ...others] = Object.keys(template.findResources(type, Properties && { Properties }))
  if (id === undefined || others.length > 0)
    throw new Error(`Found ${id ? others.length + 1 : 0} of ${type}, not one.`)
  return id
}

/** The properties of the only resource of a type. */
export const only = (template: Template, type: string) =>
  resource(template, onlyId(template, type)).Properties

/** The logical id of the stack's own table. */
export const tableOf = (template: Template, id: TableId): string => {
  const logicalId = new RegExp(`^Storage${id}[\\dA-F]{8}$`) // CDK appends a hash.
  const tables = Object.keys(template.findResources('AWS::DynamoDB::Table'))
  return `${tables.find((each) => logicalId.test(each))}`
}

/**
 * The alias that API Gateway invokes for an operation, the properties of its function, and the
 * logical ids of the parts.
 */
export const partsOf = (template: Template, operationName: string) => {
  const method = onlyId(template, 'AWS::ApiGateway::Method', { OperationName: operationName })
  const uri: { Ref?: string }[] = resource(template, method).Properties.Integration.Uri[
    'Fn::Join'
  ][1]
  const aliasId = uri.find(
    ({ Ref }) => Ref && resource(template, Ref)?.Type === 'AWS::Lambda::Alias',
  )?.Ref
  if (!aliasId) throw new Error(`${operationName} does not invoke an alias.`)
  const alias = resource(template, aliasId)
  const functionId: string = alias.Properties.FunctionName.Ref
  const handler = resource(template, functionId).Properties
  const role: string = handler.Role['Fn::GetAtt'][0]
  const logGroup: string = handler.LoggingConfig.LogGroup.Ref
  return { aliasId, alias, functionId, handler, role, logGroup }
}
