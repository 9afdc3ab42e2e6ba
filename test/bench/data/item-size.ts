/** An item as it goes over the wire, as far as ours have attributes. */
export type Item = Record<string, Value>

type Value = { S: string } | { N: string } | { B: string }

/**
 * How many bytes an item has where DynamoDB counts capacity (DynamoDB Developer Guide, "Item sizes and formats"): the
 * names and the values of its attributes.
 */
export const itemSize = (item: Item): number =>
  Object.entries(item).reduce((size, [name, value]) => size + Buffer.byteLength(name) + valueSize(value), 0)

const valueSize = (value: Value): number => {
  if ('S' in value) return Buffer.byteLength(value.S)
  if ('B' in value) return Buffer.byteLength(value.B, 'base64')
  if ('N' in value) return Math.ceil(significantDigits(value.N) / 2) + 1
  throw new Error(`The size of this is not known: ${JSON.stringify(value)}`)
}

const significantDigits = (number: string): number =>
  number
    .replace(/e.*$/i, '')
    .replace(/[^\d]/g, '')
    .replace(/^0+|0+$/g, '').length
