import { expect, test } from 'vitest'
import { collections } from '../../../shared/service.ts'
import { importsBelow } from '../../support/imports.ts'

test('the client imports only what its package can contain', () => {
  const resources = Object.keys(collections).join('|')
  const allowed = new RegExp(
    `> (infra/client/|shared/(contract|pipeline/entry|model/|${resources})|valibot$)`,
  )

  const imports = importsBelow(/^infra\/client\/(?!build)/)

  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((each) => !allowed.test(each))).toEqual([])
})
