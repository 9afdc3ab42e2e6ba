import { expect, test } from 'vitest'
import { interfaceDeclaration, typeText } from '../../../infra/client/declarations.ts'

test.each([
  [{ type: 'string', pattern: '^a' }, 'string'],
  [{ type: 'string', enum: ['available', 'adopted'] }, '"available" | "adopted"'],
  [{ type: 'integer', minimum: 1 }, 'number'],
  [{ type: 'integer', format: 'int64' }, 'Int64'],
  [{ type: 'number' }, 'number'],
  [{ type: 'boolean' }, 'boolean'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Pet' } }, 'Array<Pet>'],
  [{ type: 'array', items: { enum: ['a', 1] } }, 'Array<"a" | 1>'],
])('%j is the type %s', (schema, text) => {
  expect(typeText(schema)).toBe(text)
})

test('an object has its fields, each with what is said of it, and those that may be left out', () => {
  const properties = { name: { type: 'string', description: 'A word.' }, tag: { type: 'boolean' } }

  expect(typeText({ type: 'object', properties, required: ['name'] })).toBe(
    `{\n/** A word. */\n"name": string;\n"tag"?: boolean | undefined;\n}`,
  )
})

test('a schema that has no type here yet is refused', () => {
  expect(() => typeText({ anyOf: [] })).toThrow(
    'Write down in infra/client/declarations.ts which type has: {"anyOf":[]}',
  )
})

test('every type of the interface is declared once, and by no other package', () => {
  const text = interfaceDeclaration()

  const names = [...text.matchAll(/^export type (\w+) = /gm)].map(([, name]) => name)
  expect(names).toEqual(['Int64', 'PetStatus', 'NewPet', 'Pet', 'Pets', 'ListQuery'])
  expect(text).not.toContain('import')
})
