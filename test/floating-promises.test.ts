import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Expression, ExpressionStatement, Node } from 'typescript/unstable/ast'
import {
  isBinaryExpression,
  isCallExpression,
  isExpressionStatement,
  isVoidExpression,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync'
import { beforeAll, expect, test } from 'vitest'

// What a function starts and does not await may come after its end, or never.

/** Statements without an `await`, which must be found. */
const PLANTED = `
  holdPet(tx, 1, 2)
  storedPets.create(tx, { name: 'Rex', categoryId: 7 })
  void tx.read({ table: 'pets', value: 1 })
  tx && holdPet(tx, 1, 2)
  ids.map((id) => holdPet(tx, id, 2))`

const planted = (root: string) => `
import type { Transaction } from '${root}/shared/data/transaction.ts'
import { holdPet } from '${root}/shared/hold.ts'
import { storedPets } from '${root}/shared/pets/stored-pets.ts'

export const planted = async (tx: Transaction, ids: number[]) => {${PLANTED}
  await holdPet(tx, 1, 2)
}
`

let found: string[] = []

beforeAll(() => {
  const root = process.cwd()
  // Below node_modules, where the types of Node.js are found.
  const folder = mkdtempSync('node_modules/.floating-')
  const file = join(root, folder, 'planted.ts')
  const include = ['functions', 'shared'].map((name) => join(root, name))
  const config = { extends: join(root, 'tsconfig.json'), include, files: [file] }
  writeFileSync(file, planted(root))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  try {
    found = floatingPromises(join(root, folder, 'tsconfig.json'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 300_000)

test('the check finds calls without an await', () => {
  const expected = PLANTED.trim().split(/\n +/)

  const planted = found.filter((each) => each.includes('planted.ts'))

  expect(planted.map((each) => each.replace(/^.* leaves a promise: /, ''))).toEqual(expected)
})

test('functions and shared await each promise', () => {
  expect(found.filter((each) => !each.includes('planted.ts'))).toEqual([])
})

/** Statements that leave a promise, such as `shared/hold.ts:7 leaves a promise: holdPet(tx, 1, 2)`. */
const floatingPromises = (config: string): string[] => {
  const api = new API()
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects()
    const { program, checker } = project ?? expect.fail('The compiler found no project.')
    const files = program.getSourceFileNames().filter((name) => !isLibrary(name))
    return files.flatMap((name) => {
      const source = program.getSourceFile(name)
      const statements = source ? statementsIn(source) : []
      const isFloating = ({ expression }: ExpressionStatement) => {
        const { expression: value } = isVoidExpression(expression) ? expression : { expression }
        return !isKept(value) && hasPromise(checker, checker.getTypeAtLocation(value))
      }
      return statements.filter(isFloating).map((statement) => {
        const line = source?.text.slice(0, statement.getStart()).split('\n').length
        return `${relative('.', name)}:${line} leaves a promise: ${statement.getText()}`
      })
    })
  } finally {
    api.close()
  }
}

const isLibrary = (name: string): boolean =>
  /\/node_modules\//.test(name) && !name.endsWith('planted.ts')

const statementsIn = (node: Node): ExpressionStatement[] => {
  const found = isExpressionStatement(node) ? [node] : []
  node.forEachChild((child) => void found.push(...statementsIn(child)))
  return found
}

/** Whether it keeps a promise, as `read ??= …` does, or says what follows, as `then(…, …)` does. */
const isKept = (value: Expression): boolean => {
  if (isBinaryExpression(value)) return value.operatorToken.getText().endsWith('=')
  if (!isCallExpression(value) || value.arguments.length < 2) return false
  return value.expression.getText().endsWith('.then')
}

/** Whether a value may be a promise, or an array of promises. */
const hasPromise = (checker: Checker, type: Type | undefined): boolean => {
  if (!type) return false
  if (type.isUnionType()) return type.getTypes().some((each) => hasPromise(checker, each))
  if (checker.isArrayType(type) && type.isTypeReference())
    return checker.getTypeArguments(type).some((each) => hasPromise(checker, each))
  return !(type.flags & TypeFlags.Any) && checker.getPropertyOfType(type, 'then') !== undefined
}
