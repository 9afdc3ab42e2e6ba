import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { blocksOf, copyOfRepository } from './copy.ts'

const { add, run } = copyOfRepository()

test('a service with resources of another shape is made as bee-yard.md says, and passes all checks', () => {
  for (const { language, ...change } of blocksOf(readFileSync('test/recipe/bee-yard.md', 'utf8'))) {
    if (language === 'sh') run(change.text)
    else add(change)
  }
})
