import fc from 'fast-check'
import * as v from 'valibot'

type Field = v.GenericSchema & { wrapped?: Field }

/** What says which values a field has: its metadata, or members of its schema. */
type Rules = { format?: string; minimum: number; maximum: number; maxLength: number } & {
  pattern: string
  multipleOf?: number
  item: Field
  options: unknown[]
  literal: unknown
}

const time = fc.date({
  min: new Date('0001-01-01'),
  max: new Date('9999-12-31'),
  noInvalidDate: true,
})
const strangeTexts = [
  ':shard',
  '#name',
  '<b>&amp;</b>',
  '{"N":"1"}',
  '\u202eRex',
  'toString',
  ' 1.0 ',
]

export const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })

const arbitraries: Record<string, (rules: Rules) => fc.Arbitrary<unknown>> = {
  string: ({ maxLength }) =>
    fc.oneof(anyText, fc.constantFrom(...strangeTexts, '\u{1f9a6}'.repeat(maxLength))),
  union: () => fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  integer: ({ minimum: min, maximum: max }) => fc.integer({ min, max }),
  number: ({ minimum: min, maximum: max, multipleOf }) => {
    const doubles = fc.double({ min, max, noNaN: true })
    if (!multipleOf) return doubles
    const decimals = Math.round(-Math.log10(multipleOf))
    return doubles.map((number) => Number(number.toFixed(decimals)))
  },
  boolean: () => fc.boolean(),
  picklist: ({ options }) => fc.constantFrom(...options),
  literal: ({ literal }) => fc.constant(literal),
  date: () => time.map((each) => each.toISOString().slice(0, 10)),
  time: () => time.map((each) => each.toISOString()),
  array: ({ item }) => fc.array(valuesOf(item), { maxLength: 3 }),
}

/**
 * Draws values of a field: its examples, or any if it is of one of the kinds in
 * test/shared/kinds.test.ts.
 */
export const valuesOf = (schema: Field): fc.Arbitrary<unknown> => {
  const { type, wrapped } = schema
  if (wrapped) return type.startsWith('null') ? fc.option(valuesOf(wrapped)) : valuesOf(wrapped)
  const examples = v.getExamples(schema)
  if (examples.length > 0) return fc.constantFrom(...examples)
  // Valibot has a type neither for the metadata nor for the members of any schema.
  const rules = Object.assign({}, schema, v.getMetadata(schema) as Rules)
  // An Int64 is a union; a Timestamp is the only text that ends so.
  const special = rules.pattern?.endsWith('Z$') ? 'time' : rules.format === 'date' && 'date'
  const kind = special || (type === 'union' ? type : rules.type)
  let misses = 0
  const isValid = (value: unknown) => {
    misses = v.is(schema, value) ? 0 : misses + 1
    if (misses > 1000) throw cannotDraw(type)
    return misses === 0
  }
  const draw = arbitraries[kind]
  if (!draw) throw cannotDraw(type)
  return draw(rules).filter(isValid)
}

const cannotDraw = (type: string) =>
  new Error(`The tests cannot draw values of a v.${type}(). Add v.examples() to it.`)
