import type { Result } from '../../../shared/http.ts'

/** An event of test/events as Lambda gets it, and whether an answer to it is right. */
export type Call = { event: string; isRight: (answer: Result) => boolean }

/** A function that is measured: in `folder`, `handler` names a file, without its ending, and what it exports. */
export type Subject = {
  name: string
  folder: string
  handler: string
  environment: Record<string, string>
  /** What it is measured with. */
  call: Call
  /** What it has to get right as well, so that it is known to do all that the others do. */
  alsoRight: Call[]
}
