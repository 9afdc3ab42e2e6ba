import { describe, expect, test } from 'vitest'
import { contract } from '../../shared/contract.ts'
import { both, functionOf, partsOf, propertiesOf, resource } from './template.ts'

// A row of the contract is all that an operation needs: whoever adds one adds its name here, and sees that it is so.
const operations = ['listPets', 'createPet', 'getPet']

test('no row of the contract is left out here', () => {
  expect(Object.keys(contract)).toEqual(operations)
})

describe.each(both)('in $name', ({ name, template }) => {
  const alarmsOn = (dimension: object) =>
    propertiesOf(template, 'AWS::CloudWatch::Alarm')
      .filter(({ Dimensions = [] }) =>
        Dimensions.some((each: object) => JSON.stringify(each) === JSON.stringify(dimension)),
      )
      .map(({ MetricName }) => MetricName)

  test.each(operations)('%s has a method, an alias, a function, a role, and a log group', (operation) => {
    const { alias, role, logGroup } = partsOf(template, operation)

    template.hasResourceProperties('AWS::ApiGateway::Method', { OperationName: operation })
    expect(alias.Properties.Name).toBe('live')
    expect(resource(template, functionOf(template, operation)).Type).toBe('AWS::Lambda::Function')
    expect(resource(template, role).Type).toBe('AWS::IAM::Role')
    expect(resource(template, logGroup).Type).toBe('AWS::Logs::LogGroup')
  })

  test.each(operations)('%s is counted and watched', (operation) => {
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
    template.resourceCountIs('AWS::Lambda::Function', 3)
    template.resourceCountIs('AWS::Lambda::Alias', 3)
    template.resourceCountIs('AWS::Lambda::Permission', 3)
  })
})
