import { CommandError, run } from '../command-line.ts'
import { referencePaths } from '../platform/gateway.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'

const DESCRIPTION = `\
Prints the OpenAPI document of a deployment, with its addresses.`

const openapiCommand = deploymentCommand('npm run openapi --', DESCRIPTION).action(
  async (target) => {
    const { baseUrl } = await findDeployment(target)
    const url = baseUrl + referencePaths.document
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((cause) => {
      throw new CommandError(`${url} cannot be reached.`, { cause })
    })
    if (!response.ok) throw new CommandError(`${url} responded with ${response.status}.`)
    process.stdout.write(`${JSON.stringify(await response.json(), undefined, 2)}\n`)
  },
)

if (import.meta.main) await run(openapiCommand)
