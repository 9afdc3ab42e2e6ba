import { crc32 as ofZlib } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32 } from '../../../shared/model/crc32.ts'

test('is the CRC-32 of the catalogue of such checks', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926)
})

test('is what zlib says, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(crc32(bytes)).toBe(ofZlib(bytes))
    }),
  )
})
