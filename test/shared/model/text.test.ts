import * as v from 'valibot'
import { expect, test } from 'vitest'
import { Text } from '../../../shared/model/text.ts'

test('a text has 1 to 1000 characters, not only white space, and none that was lost', () => {
  const [letters, dogs] = ['x'.repeat(1000), '🐕'.repeat(1000)] // One or two UTF-16 code units each.
  const valid = ['R', ' Max \n', 'a\0b', 'e\u0301', '\u200B', letters, dogs, `${letters.slice(1)}🐕`]
  const outOfRange = ['', `${letters}x`, `${dogs}🐕`, `${letters}🐕`, letters.repeat(100)]
  const empty = [' ', '\u00A0', '\u3000', '\u00A0\u3000\t\r\n\v\f\u2028\u2029\uFEFF']
  const lost = ['Max\uD83D', '\uDC15Max', '\uDC15\uD83D', 'R\uFFFDx']
  const otherTypes = [7, null, undefined, ['Max']]

  const values = [...valid, ...outOfRange, ...empty, ...lost, ...otherTypes]
  expect(values.filter((value) => v.is(Text(1000), value))).toEqual(valid)
})
