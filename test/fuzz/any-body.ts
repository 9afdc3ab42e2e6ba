import fc from 'fast-check'
import { badBody } from './bad-body.ts'
import { goodBody, type PetBody } from './good-body.ts'
import type { Body } from './request.ts'

const deep = fc.tuple(fc.constantFrom(100, 5_000, 60_000), fc.constantFrom(['[', ']'], ['{"a":', '}'])).map(
  ([depth, [open = '', close = '']]): Body => ({
    text: `{"name":"Deep","categoryId":1,"other":${open.repeat(depth)}1${close.repeat(depth)}}`,
  }),
)

/** A body with a byte of it replaced, left out or put in. */
const altered = fc
  .record({ body: goodBody, at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), added: fc.boolean(), cut: fc.nat(1) })
  .map(({ body: { body }, at, byte, added, cut }): Body => {
    const text = Buffer.from(body?.text ?? '').toString('latin1')
    const place = at % (text.length + 1)
    const put = added ? String.fromCharCode(byte) : ''
    return { text: text.slice(0, place) + put + text.slice(place + cut), encoding: 'latin1' }
  })

const whatever = fc
  .oneof(
    { weight: 4, arbitrary: altered },
    { weight: 3, arbitrary: fc.json().map((text): Body => ({ text })) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text): Body => ({ text })) },
    { weight: 1, arbitrary: deep },
  )
  .map((body): PetBody => ({ body, refused: 'maybe' }))

/** A body for a new pet: two thirds are good ones. */
export const anyBody: fc.Arbitrary<PetBody> = fc.oneof(
  { weight: 6, arbitrary: goodBody },
  { weight: 2, arbitrary: badBody },
  { weight: 1, arbitrary: whatever },
)
