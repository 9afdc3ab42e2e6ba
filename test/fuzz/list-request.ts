import fc from 'fast-check'
import { authorization } from './authorization.ts'
import { oneIn } from './one-in.ts'
import { type ClientRequest, statusesOf } from './request.ts'

type Pair = [name: string, value: string]

const LIMITS = ['1', '2', '7', '20', '99', '100']
const STATUSES = ['available', 'pending', 'sold']
const OURS = ['limit', 'status', 'cursor']

const WRONG: Pair[] = [
  ...['0', '101', '-1', '1.5', '01', '+1', ' 1', '1e1', '', 'abc', '٣', 'NaN', '9'.repeat(400), '%'].map(
    (limit): Pair => ['limit', limit],
  ),
  ...['gone', 'Sold', '', 'sold ', 'none', 'sold#0', 'toString', '__proto__'].map((status): Pair => ['status', status]),
  ...['', 'abc', 'A'.repeat(16), 'A'.repeat(1000), '{cursor}A', '0', '%00'].map((cursor): Pair => ['cursor', cursor]),
]

const known = fc
  .record({
    limit: oneIn(2, fc.constantFrom(...LIMITS)),
    status: oneIn(2, fc.constantFrom(...STATUSES)),
    cursor: oneIn(3, fc.constant('{cursor}')),
  })
  .map((values) => Object.entries(values).filter((pair): pair is Pair => pair[1] !== undefined))

const unknown = fc.tuple(
  fc
    .oneof(fc.constantFrom('offset', 'limit[]', 'LIMIT', '__proto__', 'toString', ''), fc.string({ unit: 'binary' }))
    .filter((name) => !OURS.includes(name)),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

const percent = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')
const form = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** Ways to spell a part of a query that all mean the same. */
const encodings = [encodeURIComponent, form, percent].map(
  (encode) => (text: string) =>
    text
      .split(/(\{cursor\})/)
      .map((part) => (part === '{cursor}' ? part : encode(part)))
      .join(''),
)

// What is no pair, or no percent-encoding, names nothing that is known.
const ODDITIES = '& && &= &=& &% &%zz=1 &a=%ff%fe &a=%ED%A0%80 &; &a=b=c &? &a[0][b]=1'.split(' ')

/** A request that lists pets, or almost. */
export const listRequest: fc.Arbitrary<ClientRequest> = fc
  .record({
    authorization,
    known,
    others: fc.array(unknown, { maxLength: 2 }),
    wrong: oneIn(4, fc.constantFrom(...WRONG)),
    isTwice: oneIn(12, fc.constant(true)),
    encode: fc.constantFrom(...encodings),
    oddity: oneIn(3, fc.constantFrom(...ODDITIES)),
  })
  .map(({ authorization, known, others, wrong, isTwice, encode, oddity = '' }) => {
    const repeated = isTwice ? known.slice(0, 1) : []
    const pairs = [...others, ...known, ...repeated, ...(wrong ? [wrong] : [])]
    const query = pairs.map((pair) => pair.map(encode).join('=')).join('&')
    const isWrong = wrong || repeated.length > 0
    const statuses = statusesOf(
      [
        [authorization.refused, 401],
        [isWrong ? 'always' : 'never', 400],
      ],
      200,
    )
    const { limit = '20', status } = Object.fromEntries(known)
    const target = `/v1/pets${query || oddity ? '?' : ''}${query}${oddity}`
    return { method: 'GET', target, headers: authorization.headers, statuses, page: { limit: Number(limit), status } }
  })
