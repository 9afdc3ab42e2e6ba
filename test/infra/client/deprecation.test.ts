import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contract } from '../../../shared/contract.ts'

test('a deprecated call says until when the service answers it', () => {
  const { sunset } = contract.getPet.deprecated
  const day = sunset.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

  expect(readFileSync('shared/client/client.ts', 'utf8')).toContain(
    `@deprecated The service stops to answer it on ${day}.`,
  )
})
