import { type StoredResponse, saveRecord, storedResponse } from '../data/idempotency.ts'
import type { Transaction } from '../data/transaction.ts'
import { ApiError } from '../model/api-error.ts'
import type { IdempotentRequest } from '../model/idempotency-key.ts'
import { stringifyJson } from '../model/json.ts'

/** The response of an operation. Only a list, which is not stored, has a link. */
export type OperationResponse = StoredResponse & {
  link?: string | undefined
  /** Whether it is the stored response to an earlier request with the same idempotency key. */
  isReplay?: boolean
}

/** How a request becomes a response: `run` gets the input that `parse` returns. */
type Steps<Input> = {
  /** Throws an ApiError for invalid input. It is not stored: another attempt may take effect. */
  parse: () => Input
  /** Throws an ApiError below 500 to refuse the request. */
  run: (input: Input) => Promise<OperationResponse>
}

/**
 * Responds to a request. With an idempotency key, what `run` decides is final: its response is
 * saved in the same transaction, and each retry gets it. So is a refusal, which rolls back what
 * `run` wrote.
 */
export const respondOnce = async <Input>(
  tx: Transaction,
  request: IdempotentRequest | undefined,
  { parse, run }: Steps<Input>,
): Promise<OperationResponse> => {
  const stored = request && (await storedResponse(tx, request))
  if (stored) return { ...stored, isReplay: true }
  const input = parse()
  const response = await responseOrRefusal(tx, () => run(input))
  if (request) saveRecord(tx, request, response)
  return response
}

const responseOrRefusal = async (
  tx: Transaction,
  run: () => Promise<OperationResponse>,
): Promise<OperationResponse> => {
  try {
    return await run()
  } catch (error) {
    const isRefusal = error instanceof ApiError && error.status < 500
    if (!isRefusal) throw error // A bug or an outage.
    tx.rollBack()
    return { status: error.status, body: stringifyJson(error.body) }
  }
}
