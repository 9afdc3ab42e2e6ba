import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openApiText } from '../../infra/openapi/document.ts'
import { environment, preparePython, run } from '../support/process.ts'
import { startServer } from '../support/server.ts'
import type { Report } from './shortcomings.ts'

const SETTINGS = 'test/schemathesis/schemathesis.toml'

/** Has Schemathesis compare a local server with the OpenAPI document. Throws where they differ. */
export const judge = async (folder: string): Promise<Report> => {
  const python = await preparePython('test/schemathesis/requirements.txt', 'inherit')
  const document = join(folder, 'openapi.json')
  const report = join(folder, 'report.json')
  writeFileSync(document, openApiText())

  const { baseUrl, apiKey, stop } = await startServer()
  const env = { ...environment, ...placesIn(folder), BASE_URL: baseUrl, API_KEY: apiKey }
  const words = ['--config-file', SETTINGS, 'run', '--report-json-path', report, document]
  await run(join(dirname(python), 'schemathesis'), words, { env, output: 'inherit' })
  await stop()
  return JSON.parse(readFileSync(report, 'utf8'))
}

/** Where it keeps what it would leave in the repository. */
const placesIn = (folder: string): Record<string, string> => ({
  HYPOTHESIS_STORAGE_DIRECTORY: join(folder, 'hypothesis'),
  PYTHONDONTWRITEBYTECODE: '1',
})
