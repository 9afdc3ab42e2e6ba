import { expect, test } from 'vitest'
import { inertJson } from '../../../infra/openapi/public-documents.ts'

test.each([
  { $ref: '#/components/schemas/Pet' },
  ['$context.requestId', '$!{util}', '#set($a = 1)', '##', '#[[ ]]#'],
  ['\\', '\\\\', '\\$', '\\#end', '\\"', '\n\\n', '"'],
  ['é', '→', '𝄞', '\u007f'],
  [1, -9.5, true, null, {}],
])('keeps the value, and nothing that a template would fill in: %j', (value) => {
  const text = inertJson(JSON.stringify(value))

  expect(JSON.parse(text)).toEqual(value)
  expect(text).toMatch(/^[ -~]*$/)
  expect(text).not.toMatch(/[$#]|\\\\/)
})

test('leaves all else as it was', () => {
  const json = JSON.stringify({ name: 'Rex "the dog"', text: 'a\nb\tc', pattern: '^\\d+[^x]' }, undefined, 2)

  expect(inertJson(json)).toBe(json.replaceAll('\\\\', '\\u005c'))
})
