import { afterEach, vi } from 'vitest'
import { type Answer, apiAt, type Sent } from '../../../infra/smoke/check.ts'
import { runChecks } from '../../../infra/smoke/checks.ts'
import { server } from '../keys/local-stage.ts'

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
afterEach(() => printed.mockClear())

/** What is different in an answer; `undefined` where nothing is. */
export type Alteration = (answer: Answer, sent: Sent) => Partial<Answer> | undefined

/** Runs the checks on the local server, some of whose answers are altered on the way. */
export const runAltered = async (alter: Alteration, waitSeconds: number) => {
  const real = apiAt(server.baseUrl, new AbortController().signal)
  const call = async (sent: Sent) => {
    const answer = await real.call(sent)
    return { ...answer, ...alter(answer, sent) }
  }
  const passed = await runChecks({ ...real, call }, { key: server.apiKey, keyPrefix: 'local', waitSeconds })
  return { passed, lines: printed.mock.calls.map(([line]) => String(line)) }
}

/** Whether a path is that of the list which must show what was added, or of the pet itself. */
export const isList = (path: string): boolean => path.includes('status=sold')
export const isPet = (path: string): boolean => /^\/pets\/\d{13,}$/.test(path)

/** An answer's headers less one of them. */
export const without = (name: string, answer: Answer): { headers: Headers } => {
  const headers = new Headers(answer.headers)
  headers.delete(name)
  return { headers }
}
