import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contract, type OperationId } from '../../shared/contract.ts'
import { PATH_PARAMETER } from '../../shared/pipeline/by-method.ts'
import type { ProxyEvent } from '../../shared/pipeline/gateway-event.ts'
import { service } from '../../shared/service.ts'
import { eventOf } from '../support/events.ts'

const first = eventOf('listPets-no-parameters')

test.each(readdirSync('test/events'))('%s is an event as API Gateway sends it', (file) => {
  const event: ProxyEvent = JSON.parse(readFileSync(`test/events/${file}`, 'utf8'))
  const { path, pathParameters, requestContext } = event
  const [id = ''] = file.split('-') // The name of a file starts with an operation.
  const { method, path: resource } = contract[id as OperationId]
  const stage = requestContext.domainName?.includes('.execute-api.') ? service.basePath : ''

  // `eventOf` makes each map of single values from that of all values.
  expect(event).toEqual(eventOf(file.replace('.json', '')))
  expect(Object.keys(event).sort()).toEqual(Object.keys(first).sort())
  expect(Object.keys(requestContext).sort()).toEqual(Object.keys(first.requestContext).sort())
  expect(event).toMatchObject({ httpMethod: method, resource })
  expect(path).toMatch(
    new RegExp(`${resource.replace(PATH_PARAMETER, (_, name) => `${pathParameters?.[name]}`)}$`),
  )
  expect(requestContext).toMatchObject({
    httpMethod: method,
    resourcePath: resource,
    path: stage + path,
  })
})
