import type { MiddlewareObj } from '@middy/core'
import type { Context } from 'aws-lambda'
import type { Event } from '../request.ts'
import type { Result } from '../response.ts'

/** A step of the pipeline, and what the steps tell one another in `internal`. */
export type Middleware = MiddlewareObj<Event, Result, Error, Context, { errorCode?: string; startedAt?: number }>
