/** An answer that the proxy makes up, of DynamoDB's own content type where it names no other. */
export type Answer = { status: number; type?: string; body: string }

/** `cut`: the connection breaks; `silence`: no answer comes; `drip`: an answer comes a byte at a time and never ends. */
type Instead = 'cut' | 'silence' | 'drip' | Answer

/**
 * What becomes of a request. `carriedOut`: the database has carried it out, but this comes back; `late`: the database
 * gets it so many milliseconds later, or its answer takes so many. All else takes the place of the database's answer.
 */
export type Fault = 'pass' | Instead | { carriedOut: Instead } | { late: 'request' | 'answer'; milliseconds: number }

/** The connection breaks when the request was carried out, and before its answer. */
export const lostAnswer = { carriedOut: 'cut' } as const satisfies Fault

/** An answer as DynamoDB gives it. */
export const answer = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) })

const error = (status: number, name: string): Answer =>
  answer(status, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'Made by the test.' })

/** What DynamoDB, or something on the way to it, answers at its worst. */
export const answers = {
  internalServerError: error(500, 'InternalServerError'),
  throughputExceeded: error(400, 'ProvisionedThroughputExceededException'),
  throttling: error(400, 'ThrottlingException'),
  accessDenied: error(400, 'AccessDeniedException'),
  html: { status: 200, type: 'text/html', body: '<html><body>Sign in to the network</body></html>' },
  malformed: { status: 200, body: '{"Item":{"id":{"N":' },
  nothing: answer(200, {}),
} as const satisfies Record<string, Answer>
