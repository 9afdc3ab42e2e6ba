import * as v from 'valibot'
import { collection } from '../../shared/data/collection.ts'
import { filterIndex } from '../../shared/data/tables.ts'
import { Id } from '../../shared/model/id.ts'
import { Int64 } from '../../shared/model/int64.ts'
import { Text } from '../../shared/model/text.ts'
import { alone } from './alone.ts'
import { example } from './example.ts'

// For tests of what every collection does: resources without rules of their own, in the table of
// the example. If that has no filter, theirs has no index.

const { table } = example
const { field } = example.filter

/** The filter of their lists, and its values. */
export const filter = {
  field,
  index: filterIndex(field).index,
  value: 'red',
  other: 'blue',
} as const

const Color = v.picklist([filter.value, filter.other])

/** A toy with other fields. */
export const toyOf = <Fields extends v.ObjectEntries>(fields: Fields) =>
  v.pipe(v.object({ id: Id, ...fields }), v.title('Toy'))

/** Their functions, which take a transaction. */
export const storedToys = collection(
  table,
  toyOf({ inscription: Text(80), serialNumber: v.optional(Int64), [field]: v.optional(Color) }),
)

/** Their functions, each call in a transaction of its own. */
export const toys = alone(storedToys)

export type Toy = Awaited<ReturnType<typeof toys.get>>['resource']
