import { internalsIn } from './secrets.ts'

type Answer = { status: number | string; headers: object; text: string }

/** Throws where an answer tells what is none of its reader's business. Every answer that a test gets comes by here. */
export const refuseInternals = ({ status, headers, text }: Answer): void => {
  const kinds = internalsIn(`${JSON.stringify(headers)} ${text}`)
  if (kinds.length > 0) throw new Error(`An answer with the status ${status} holds ${kinds.join(', ')}.`)
}
