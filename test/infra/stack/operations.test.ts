import { describe, expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { both, functionOf, partsOf, propertiesOf, resource } from './template.ts'

// A row of the contract is all that an operation needs: whoever adds one sees here that it is so.
describe.each(both)('in $name', ({ name, template }) => {
  const alarmsOn = (dimension: object) =>
    propertiesOf(template, 'AWS::CloudWatch::Alarm')
      .filter(({ Dimensions = [] }) =>
        Dimensions.some((each: object) => JSON.stringify(each) === JSON.stringify(dimension)),
      )
      .map(({ MetricName }) => MetricName)

  test.each(operationIds)('%s has a method, an alias, a function, a role, and a log group', (operation) => {
    const { alias, role, logGroup } = partsOf(template, operation)

    template.hasResourceProperties('AWS::ApiGateway::Method', { OperationName: operation })
    expect(alias.Properties.Name).toBe('live')
    expect(resource(template, functionOf(template, operation)).Type).toBe('AWS::Lambda::Function')
    expect(resource(template, role).Type).toBe('AWS::IAM::Role')
    expect(resource(template, logGroup).Type).toBe('AWS::Logs::LogGroup')
  })

  test.each(operationIds)('%s is counted and watched', (operation) => {
    const { logGroup } = partsOf(template, operation)
    const counted = propertiesOf(template, 'AWS::Logs::MetricFilter')
      .filter(({ LogGroupName }) => LogGroupName.Ref === logGroup)
      .map(({ MetricTransformations }) => MetricTransformations[0].MetricName)
    const ofFunction = alarmsOn({ Name: 'FunctionName', Value: { Ref: functionOf(template, operation) } })

    expect(counted).toEqual(expect.arrayContaining(['InternalErrors', 'ClientErrors', 'ColdStarts']))
    const canary = name === 'PetStoreProduction'
    expect(ofFunction).toEqual(canary ? ['Throttles', 'Errors', 'Duration'] : ['Throttles'])
    expect(alarmsOn({ Name: 'Operation', Value: operation })).toEqual(canary ? ['InternalErrors'] : [])
  })

  test('there is nothing of an operation that is not in the contract', () => {
    template.resourceCountIs('AWS::Lambda::Function', operationIds.length)
    template.resourceCountIs('AWS::Lambda::Alias', operationIds.length)
    template.resourceCountIs('AWS::Lambda::Permission', operationIds.length)
  })
})
