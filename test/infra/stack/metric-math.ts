/** A data point, or none. */
export type Value = number | undefined

const TOKEN = /\s*(>=|[\d.]+|\w+|[*/(),])/y

/**
 * Evaluates an expression of CloudWatch metric math in one period: numbers, metrics, `* / >=`, `IF`
 * and `FILL`. A result is missing if a metric that it needs is. Throws for anything else.
 */
export const evaluateMath = (expression: string, metrics: ReadonlyMap<string, Value>): Value => {
  const tokens = tokensOf(expression)
  const refuse = (): never => {
    throw new Error(`The expression ${expression} is not simulated.`)
  }
  const skip = (token: string) => tokens.shift() === token || refuse()
  const binary =
    (operand: () => Value, operators: Record<string, (a: number, b: number) => number>) =>
    (): Value => {
      let left = operand()
      for (;;) {
        const apply = operators[tokens[0] ?? '']
        if (!apply) return left
        tokens.shift()
        const right = operand()
        left = left === undefined || right === undefined ? undefined : apply(left, right)
      }
    }
  const call = (): Value[] => {
    const values: Value[] = []
    do {
      tokens.shift() // The opening parenthesis, or a comma.
      values.push(comparison())
    } while (tokens[0] === ',')
    skip(')')
    return values
  }
  const operand = (): Value => {
    const token = tokens.shift() ?? refuse()
    if (token === 'IF') return chosen(call())
    if (token === 'FILL') return filled(call())
    if (metrics.has(token)) return metrics.get(token)
    return /^[\d.]+$/.test(token) ? Number(token) : refuse()
  }
  const product = binary(operand, { '*': (a, b) => a * b, '/': (a, b) => a / b })
  const comparison = binary(product, { '>=': (a, b) => Number(a >= b) })
  const result = comparison()
  return tokens.length > 0 ? refuse() : result
}

const chosen = ([condition, ifTrue, ifFalse]: Value[]): Value => {
  if (condition === undefined) return undefined
  return condition ? ifTrue : ifFalse
}

const filled = ([value, filler]: Value[]): Value => value ?? filler

const tokensOf = (expression: string): string[] => {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < expression.length) {
    const at = TOKEN.lastIndex
    const [, token] = TOKEN.exec(expression) ?? []
    if (!token)
      throw new Error(`The expression ${expression} is not simulated: ${expression.slice(at)}`)
    tokens.push(token)
  }
  return tokens
}
