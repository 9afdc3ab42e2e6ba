import type { Context } from 'aws-lambda'
import type { Event } from '../../shared/http.ts'

/** As much of an event as the code under test looks at; whole ones are in test/events. */
export const partialEvent = (parts: object) => parts as Event // The rest of it is what the test leaves out.

/** A Lambda context that nothing looks into. */
export const emptyContext = {} as Context // As above.
