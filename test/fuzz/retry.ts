import fc from 'fast-check'
import type { PetBody } from './good-body.ts'
import { type Keyed, keyed } from './idempotency-key.ts'

/** So few that each comes several times. */
const ANIMALS = 30

/** A pet that is asked for again and again, under a key of its own and in any spelling: there must be one of it. */
export const retry: fc.Arbitrary<{ content: PetBody; idempotencyKey: Keyed }> = fc
  .record({ pet: fc.nat(ANIMALS - 1), isQuoted: fc.boolean(), isSpaced: fc.boolean() })
  .map(({ pet, isQuoted, isSpaced }) => {
    const name = `Again ${pet}`
    const id = 2n ** 53n + BigInt(pet)
    const text = isSpaced ? ` { "categoryId": ${id}, "name": "${name}" } ` : `{"name":"${name}","categoryId":${id}}`
    const wanted = { name, categoryId: `${id}`, status: undefined }
    const key = keyed(`again-${pet}`, isQuoted, 'never')
    return { content: { body: { text }, wanted, refused: 'never' }, idempotencyKey: key }
  })
