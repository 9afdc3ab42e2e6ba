import { isDeepStrictEqual } from 'node:util'
import { eventOf } from '../../support/events.ts'
import { PET } from '../dynamodb/answers.ts'
import type { Call } from './subject.ts'

const call = (event: string, statusCode: number, isRightBody: (body: unknown) => boolean = () => true): Call => ({
  event: JSON.stringify(eventOf(event)),
  isRight: (answer) => answer.statusCode === statusCode && isRightBody(JSON.parse(answer.body)),
})

const isPage = (body: unknown): boolean => Array.isArray(body) && body.length === 20

/** A page of 20: of one status, or of all. */
export const listOneStatus = call('listPets-by-status', 200, isPage)
export const listAll = call('listPets-no-parameters', 200, isPage)

export const create = call('createPet-created', 201, (body) => Object(body).name === PET.name)

export const read = call('getPet-found', 200, (body) => isDeepStrictEqual(body, PET))
export const readUnauthorized = call('getPet-unauthorized', 401)
export const readUnknown = call('getPet-unknown-id', 404)

/** For the handler that does nothing. */
export const readNothing = call('getPet-found', 200)
