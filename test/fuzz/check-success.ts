import assert from 'node:assert/strict'
import * as v from 'valibot'
import { contract, type OperationId } from '../../shared/contract.ts'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import type { Pets } from '../../shared/model/pet.ts'
import type { Received, send } from '../support/http.ts'
import type { ClientRequest, Wanted } from './request.ts'

/** How what is found out by another request is asked. */
export type Ask = (target: string) => ReturnType<typeof send>

/** Checks that a pet which was added is what was asked for, and is read back as it is, digit for digit. */
export const checkCreated = async (answer: Received, wanted: Wanted | undefined, ask: Ask): Promise<void> => {
  checkShape('createPet', answer)
  const id = /^\{"id":(\d+),/.exec(answer.text)?.[1]
  if (wanted) assert.equal(answer.text, textOf(wanted, id))
  assert.equal(answer.headers.location, `/v1/pets/${id}`)
  const read = await ask(`/v1/pets/${id}`)
  checkShape('getPet', read)
  assert.deepEqual([read.status, read.text], [200, answer.text])
}

/** Checks that a list holds what was asked for, newest first, and that its link leads on from there. */
export const checkListed = async (answer: Received, page: ClientRequest['page'], ask: Ask): Promise<void> => {
  checkShape('listPets', answer)
  const pets = answer.body as Pets // Its shape was just checked.
  const ids = pets.map(({ id }) => Number(id))
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => b - a),
  )
  if (page) assert.ok(pets.length <= page.limit, `There are ${pets.length} pets.`)
  if (page?.status) assert.ok(pets.every(({ status }) => status === page.status))
  const next = /^<(.+)>; rel="next"$/.exec(answer.headers.link ?? '')?.[1]
  assert.equal(next === undefined, answer.headers.link === undefined)
  if (next !== undefined) await checkNext(new URL(next), ids.at(-1) ?? 0, ask)
}

/** Checks that a body is what the contract says, and nothing more. */
export const checkShape = (id: OperationId, { text, body }: Received): void => {
  const { success } = contract[id]
  assert.equal(stringifyJson(v.parse(success.body, exactJson(text, body))), text)
}

const checkNext = async ({ pathname, search }: URL, last: number, ask: Ask): Promise<void> => {
  const answer = await ask(pathname + search)
  assert.equal(answer.status, 200)
  checkShape('listPets', answer)
  const [first] = answer.body as Pets // As above.
  assert.ok(first && Number(first.id) < last, 'The next page does not go on where this one ends.')
}

const textOf = ({ name, categoryId, status }: Wanted, id: string | undefined): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ''}}`
