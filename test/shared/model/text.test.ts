import * as v from 'valibot'
import { expect, test } from 'vitest'
import { Text } from '../../../shared/model/text.ts'

const isText = (text: unknown) => v.is(Text(1000), text)

test('a text has 1 to 1000 characters, which take one or two UTF-16 code units each', () => {
  const [letters, dogs] = ['x'.repeat(1000), '🐕'.repeat(1000)]
  const valid = ['R', ' Max \n', 'a\0b', 'e\u0301', '\u200B', letters, dogs, `${letters.slice(1)}🐕`]
  const invalid = ['', `${letters}x`, `${dogs}🐕`, `${letters}🐕`, letters.repeat(100)]

  expect([...valid, ...invalid].filter(isText)).toEqual(valid)
})

test.each([
  ['only white space', [' ', '\u00A0', '\u3000', '\u00A0\u3000\t\r\n\v\f\u2028\u2029\uFEFF']],
  ['text that was lost', ['Max\uD83D', '\uDC15Max', '\uDC15\uD83D', 'R\uFFFDx']],
  ['another type', [7, null, undefined, ['Max']]],
])('a text must not be %s', (_, texts) => {
  expect(texts.filter(isText)).toEqual([])
})
