import { internalsIn } from './secrets.ts'

type Answer = { status: number | string; headers: object; text: string }

/** Throws where an answer tells what is none of its reader's business. Every answer that a test gets comes by here. */
export const refuseInternals = ({ status, headers, text }: Answer): void => {
  // The id of a request is drawn at random, and can look like anything.
  const told = Object.entries(headers).filter(([name]) => !/^x-request-id$/i.test(name))
  const kinds = internalsIn(`${JSON.stringify(Object.fromEntries(told))} ${text}`)
  if (kinds.length > 0) throw new Error(`An answer with the status ${status} holds ${kinds.join(', ')}.`)
}
