import { expect, test } from 'vitest'
import { Sha256 } from '../../infra/bundle/native-sha256.ts'

test.each([
  ['SHA-256 (FIPS 180-4)', undefined, 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'HMAC-SHA-256 (RFC 4231, case 2)',
    'Jefe',
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
])('the bundles sign with %s', async (_, secret, data, digest) => {
  const hash = new Sha256(secret)
  hash.update(data)

  expect(Buffer.from(await hash.digest()).toString('hex')).toBe(digest)
})
