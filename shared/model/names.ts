/** The names of an object's properties, which `Object.keys` types as any string. */
export const propertyNames = <T extends object>(value: T): (keyof T & string)[] =>
  Object.keys(value) as (keyof T & string)[]

/** The first characters of a text, with `…` in place of the others. */
export const shortened = (text: string, length: number): string => {
  const characters = [...text]
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text
}

/** The text, starting with a capital letter. */
export const capitalized = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}`
