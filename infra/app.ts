import { Annotations, App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { operationIds } from '../shared/contract.ts'
import { contractProblem } from './openapi/contract-check.ts'
import { ServiceStack } from './stack/service-stack.ts'
import {
  ConfigurationError,
  deployedStage,
  type Stage,
  stackName,
  stages,
  stageWarnings,
} from './stages.ts'

const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })

const addStack = (stage: Stage): void => {
  const prefix = app.node.tryGetContext('prefix') ?? ''
  const release = app.node.tryGetContext('release')
  const deployed = deployedStage(stage, { prefix, release })
  const stack = new ServiceStack(app, `${prefix}${stackName(stage)}`, deployed)
  for (const [id, message] of Object.entries(
    stageWarnings({ ...stage, release: deployed.release }, operationIds.length),
  ))
    Annotations.of(stack).addWarningV2(id, `${stack.stackName} ${message}`)
}

try {
  const problem = contractProblem()
  if (problem) throw new ConfigurationError(problem)
  for (const stage of Object.values(stages)) addStack(stage)
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error
  console.error(error.message)
  // With `exitCode` alone, the app would write what it has so far.
  process.exit(1)
}
