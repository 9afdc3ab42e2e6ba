/** What API Gateway takes of a body at most, in bytes. */
export const MIB_10 = 10 * 1024 * 1024

/** A body as it is made up: text, or bytes that are spelled in another encoding; then so many spaces, which JSON allows. */
export type Body = { text: string; encoding?: BufferEncoding; spaces?: number }

/** The pet that a body asks for, its `categoryId` in the digits that it must come back in. */
export type Wanted = { name: string; categoryId: string; status: string | undefined }

/** A request that an HTTP client sends, and what is known of its answer. */
export type ClientRequest = {
  method: string
  /** As it goes over the wire. `{id}` and `{cursor}` stand for those of a pet that is there. */
  target: string
  headers: Record<string, string | string[]>
  body?: Body
  statuses: number[]
  /** The idempotency key that it comes with, if it has a good one. */
  key?: string | undefined
  wanted?: Wanted
  /** Of a list: how many pets it may hold, and of which status. */
  page?: { limit: number; status: string | undefined }
}

/** Bytes, each a character of this text, that are no request that an HTTP client would send. */
export type RawRequest = { text: string }

export type Request = ClientRequest | RawRequest

/** A part of a request, and whether the service refuses it. */
export type Part<T> = T & { refused: Refused }

export type Refused = 'never' | 'maybe' | 'always'

/** The statuses that an answer may have where these checks are made one after the other, each with what it refuses with. */
export const statusesOf = (checks: [refused: Refused, status: number][], success: number): number[] => {
  const first = checks.findIndex(([refused]) => refused === 'always')
  const made = first < 0 ? checks : checks.slice(0, first + 1)
  const refusals = made.filter(([refused]) => refused !== 'never').map(([, status]) => status)
  return first < 0 ? [...refusals, success] : refusals
}

/** The bytes of a body. */
export const bytesOf = ({ text, encoding = 'utf8', spaces = 0 }: Body): Buffer =>
  Buffer.concat([Buffer.from(text, encoding), Buffer.alloc(spaces, ' ')])
