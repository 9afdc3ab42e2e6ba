import { Annotations, App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { contract } from '../shared/contract.ts'
import { resources } from '../shared/resources.ts'
import { contractProblem } from './contract-problem.ts'
import { ServiceStack } from './stack/service-stack.ts'
import { ConfigurationError, readContext, type Stage, stackName, stages } from './stages.ts'

const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })

const addStack = (stage: Stage): void => {
  const { prefix, change } = readContext(app)
  const stack = new ServiceStack(app, `${prefix}${stackName(stage)}`, { ...stage, ...change })
  if (stage.alarmEmail) return
  const message = `Nobody gets the alarms of ${stack.stackName}. Set alarmEmail in infra/stages.ts.`
  Annotations.of(stack).addWarningV2('noAlarmEmail', message)
}

try {
  const problem = contractProblem(contract, resources)
  if (problem) throw new ConfigurationError(problem)
  for (const stage of Object.values(stages)) addStack(stage)
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error
  console.error(error.message)
  // With `exitCode` alone, the app would write what it has so far.
  process.exit(1)
}
