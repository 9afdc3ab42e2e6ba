import fc from 'fast-check'
import { LOCAL_API_KEY } from '../../infra/local/announcement.ts'
import { headerText } from './header-text.ts'
import type { Part } from './request.ts'

type Authorization = Part<{ headers: Record<string, string | string[]> }>

const good: Record<string, string>[] = [
  { Authorization: `Bearer ${LOCAL_API_KEY}` },
  { authorization: `bearer ${LOCAL_API_KEY}` },
  { AUTHORIZATION: `BEARER   ${LOCAL_API_KEY}` },
]

const bad: Record<string, string | string[]>[] = [
  {},
  { Authorization: '' },
  { Authorization: 'Bearer' },
  { Authorization: LOCAL_API_KEY },
  { Authorization: `Basic ${LOCAL_API_KEY}` },
  { Authorization: `Bearer ${LOCAL_API_KEY}A` },
  { Authorization: `Bearer ${LOCAL_API_KEY.slice(0, -1)}` },
  { Authorization: `Bearer ${LOCAL_API_KEY}, Bearer ${LOCAL_API_KEY}` },
  { Authorization: [`Bearer ${LOCAL_API_KEY}`, `Bearer ${LOCAL_API_KEY}`] },
  // Keys as they should be, which nobody was given: of this place, and of another.
  { Authorization: 'Bearer pet_local_000000000000000000000000000000001ORft7' },
  { Authorization: 'Bearer pet_live_000000000000000000000000000000004HWLXb' },
  { Authorization: 'Bearer __proto__' },
]

/** Who a request says that it is from: mostly somebody with a key. */
export const authorization: fc.Arbitrary<Authorization> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...good).map((headers): Authorization => ({ headers, refused: 'never' })) },
  { weight: 1, arbitrary: fc.constantFrom(...bad).map((headers): Authorization => ({ headers, refused: 'always' })) },
  {
    weight: 1,
    arbitrary: headerText(200).map((text): Authorization => ({ headers: { Authorization: text }, refused: 'always' })),
  },
)
