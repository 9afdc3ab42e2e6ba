import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { blocksOf, copyOfRepository } from './copy.ts'

const { add, run } = copyOfRepository()

test('a service of another shape is made as cards.md says, and passes its checks', () => {
  for (const { language, ...change } of blocksOf(readFileSync('test/recipe/cards.md', 'utf8'))) {
    if (language === 'sh') run(change.text)
    else add(change)
  }
})
