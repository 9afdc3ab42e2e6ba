import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { sendUntilServed } from './http.ts'
import { type LocalServer, startServer } from './server.ts'

/** Starts the local server of a folder in a process of its own until the test ends. */
export const start = async (...settings: Parameters<typeof startServer>): Promise<LocalServer> => {
  const server = await startServer(...settings)
  onTestFinished(async () => {
    if (server.process.exitCode === null && server.process.signalCode === null) await server.stop('SIGKILL')
  })
  return server
}

/** Creates a folder that is removed when the test ends. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A pet in a JSON response. */
export type Pet = { id: number; name: string; categoryId: number; status?: string }

/** The headers of a request with the API key of a server. */
export const headersOf = ({ apiKey }: Pick<LocalServer, 'apiKey'>) => ({
  Authorization: `Bearer ${apiKey}`,
  'Content-Type': 'application/json',
})

/** Lists all pets, or those of a filter such as `&status=sold`, page by page. */
export const listAll = async (server: LocalServer, filter = ''): Promise<Pet[]> => {
  const pets: Pet[] = []
  for (let path = `/pets?limit=100${filter}`; path; ) {
    const { body, headers } = await sendUntilServed(server.baseUrl, { path, headers: headersOf(server) })
    pets.push(...(body as Pet[]))
    path = /\/v1(\/[^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? ''
  }
  return pets
}
