export type Pet = { id: number; name: string; categoryId: number; status?: string }

export const unauthorized = { status: 401, code: 'unauthorized', message: 'Send an API key.' }
export const notFound = { status: 404, code: 'not_found', message: 'No pet has that id.' }

/** What API Gateway takes for an answer. */
export const answer = (statusCode: number, body: object) => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})
