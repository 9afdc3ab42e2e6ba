import { Annotations, App } from 'aws-cdk-lib'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { contractProblem } from './contract-check.ts'
import { ServiceStack } from './stack/service-stack.ts'
import { ConfigurationError, type Stage, stackName, stages } from './stages.ts'

const app = new App({ context: CURRENTLY_RECOMMENDED_FLAGS })

/** Adds the stack of a stage, with a context such as `-c prefix=Blue -c release=all-at-once`. */
const addStack = (stage: Stage): void => {
  const release = app.node.tryGetContext('release') ?? stage.release
  if (!['canary', 'all-at-once'].includes(release))
    throw new ConfigurationError('The context value "release" must be canary or all-at-once.')
  // Several copies can share an account.
  const prefix = app.node.tryGetContext('prefix') ?? ''
  const stack = new ServiceStack(app, `${prefix}${stackName(stage)}`, { ...stage, release })
  if (stage.alarmEmail) return
  const message = `Nobody gets the alarms of ${stack.stackName}. Set alarmEmail in infra/stages.ts.`
  Annotations.of(stack).addWarningV2('noAlarmEmail', message)
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
