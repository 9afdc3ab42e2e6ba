import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { PetStoreStack } from '../../../infra/stack/pet-store-stack.ts'
import { type Stage, stages } from '../../../infra/stages.ts'

/** A deployment, without the bundles and CDK's own checks of its template, which take seconds. */
export const stackOf = (stackName: string, stage: Stage): PetStoreStack => {
  const app = new App({
    builtinCloudFormationValidation: false,
    context: { ...CURRENTLY_RECOMMENDED_FLAGS, 'aws:cdk:bundling-stacks': [] },
  })
  return new PetStoreStack(app, stackName, stage)
}

/** The template of a deployment. */
export const templateOf = (stackName: string, stage: Stage): Template => Template.fromStack(stackOf(stackName, stage))

export const staging = templateOf('PetStoreStaging', stages.staging)
export const production = templateOf('PetStoreProduction', stages.production)

/** Both stages, for `describe.each`. */
export const both = [
  { name: 'PetStoreStaging', template: staging },
  { name: 'PetStoreProduction', template: production },
]

/** A resource, by its logical id. */
export const resource = (template: Template, logicalId: string) => template.toJSON().Resources[logicalId]

/** The resources of a type: their logical ids, and all that is said of each. */
export const resourcesOf = (template: Template, type: string) => Object.entries(template.findResources(type))

/** The properties of each resource of a type. */
export const propertiesOf = (template: Template, type: string) =>
  resourcesOf(template, type).map(([, { Properties }]) => Properties)

/** The logical id of the only resource of a type. */
export const onlyId = (template: Template, type: string, Properties?: object): string => {
  const [id, ...others] = Object.keys(template.findResources(type, Properties && { Properties }))
  if (id === undefined || others.length > 0) throw new Error(`Found ${id ? others.length + 1 : 0} of ${type}, not one.`)
  return id
}

/** The logical id of the table with this partition key. */
export const tableOf = (template: Template, partitionKey: string): string =>
  onlyId(template, 'AWS::DynamoDB::Table', { KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' }] })

/** The logical id of the alias that API Gateway calls for an operation. */
export const aliasOf = (template: Template, operationName: string): string => {
  const method = onlyId(template, 'AWS::ApiGateway::Method', { OperationName: operationName })
  const uri: { Ref?: string }[] = resource(template, method).Properties.Integration.Uri['Fn::Join'][1]
  const alias = uri.find(({ Ref }) => Ref && resource(template, Ref)?.Type === 'AWS::Lambda::Alias')?.Ref
  if (!alias) throw new Error(`No alias is called for ${operationName}.`)
  return alias
}

/** The logical id of the function that API Gateway calls for an operation. */
export const functionOf = (template: Template, operationName: string): string =>
  resource(template, aliasOf(template, operationName)).Properties.FunctionName.Ref

/** The properties of an operation's function, and what stands around it. */
export const partsOf = (template: Template, operationName: string) => {
  const handler = resource(template, functionOf(template, operationName)).Properties
  const role: string = handler.Role['Fn::GetAtt'][0]
  const logGroup: string = handler.LoggingConfig.LogGroup.Ref
  return { handler, role, logGroup, alias: resource(template, aliasOf(template, operationName)) }
}

/** The methods of the API, each with its route, as in `GET /pets`. */
export const methodsOf = (template: Template) =>
  propertiesOf(template, 'AWS::ApiGateway::Method').map((properties) => ({
    route: `${properties.HttpMethod} ${pathOf(template, properties.ResourceId.Ref) || '/'}`,
    properties,
  }))

const pathOf = (template: Template, resourceId: string | undefined): string => {
  if (resourceId === undefined) return ''
  const { ParentId, PathPart } = resource(template, resourceId).Properties
  return `${pathOf(template, ParentId.Ref)}/${PathPart}`
}
