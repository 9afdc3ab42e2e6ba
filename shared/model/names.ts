/** The names of an object's properties, which `Object.keys` types as any string. */
export const propertyNames = <T extends object>(value: T): (keyof T & string)[] =>
  Object.keys(value) as (keyof T & string)[]

/** The text, starting with a capital letter. */
export const capitalized = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}`
