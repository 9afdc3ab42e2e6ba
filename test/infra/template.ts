import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { PetStoreStack } from '../../infra/pet-store-stack.ts'
import { type Stage, stages } from '../../infra/stages.ts'

/** The template of a deployment, without the bundles and CDK's own checks of it, which take seconds. */
export const templateOf = (stackName: string, stage: Stage): Template => {
  const app = new App({
    builtinCloudFormationValidation: false,
    context: { ...CURRENTLY_RECOMMENDED_FLAGS, 'aws:cdk:bundling-stacks': [] },
  })
  return Template.fromStack(new PetStoreStack(app, stackName, stage))
}

export const staging = templateOf('PetStoreStaging', stages.staging)
export const production = templateOf('PetStoreProduction', stages.production)

/** The logical id of the table with this partition key. */
export const tableOf = (template: Template, partitionKey: string): string => {
  const KeySchema = [{ AttributeName: partitionKey, KeyType: 'HASH' }]
  return onlyId(template.findResources('AWS::DynamoDB::Table', { Properties: { KeySchema } }))
}

/** The logical id of the function that API Gateway calls for an operation. */
export const functionOf = (template: Template, operationName: string): string => {
  const methods = template.findResources('AWS::ApiGateway::Method', { Properties: { OperationName: operationName } })
  const uri = methods[onlyId(methods)]?.Properties.Integration.Uri['Fn::Join'][1]
  return uri.flatMap((part: { 'Fn::GetAtt'?: [string] }) => part['Fn::GetAtt']?.[0] ?? [])[0]
}

/** The methods of the API, each with its route, as in `GET /pets`. */
export const methodsOf = (template: Template) =>
  Object.values(template.findResources('AWS::ApiGateway::Method')).map(({ Properties }) => ({
    route: `${Properties.HttpMethod} ${pathOf(template, Properties.ResourceId.Ref)}`,
    Properties,
  }))

/** A resource, by its logical id. */
export const resource = (template: Template, logicalId: string) => template.toJSON().Resources[logicalId]

const onlyId = (found: Record<string, unknown>): string => {
  const [id, ...others] = Object.keys(found)
  if (id === undefined || others.length > 0) throw new Error(`Found ${Object.keys(found).length} resources, not one.`)
  return id
}

const pathOf = (template: Template, resourceId: string | undefined): string => {
  if (resourceId === undefined) return ''
  const { ParentId, PathPart } = resource(template, resourceId).Properties
  return `${pathOf(template, ParentId.Ref)}/${PathPart}`
}
