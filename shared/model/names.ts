/** The names of an object's own properties, as its type has them: an object may have more. */
export const propertyNames = <T extends object>(value: T): (keyof T & string)[] =>
  // `Object.keys` types them as any string.
  Object.keys(value) as (keyof T & string)[]

/** A text with a capital letter at its start. */
export const capitalized = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}`
