import { CfnResource, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { entries } from '../../shared/contract.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { service } from '../../shared/service.ts'
import { ConfigurationError, type Stage, stageProblem } from '../stages.ts'
import { Api } from './api.ts'
import { CanaryRelease } from './canary-release.ts'
import { Monitoring } from './monitoring.ts'
import { OperationFunction } from './operation-function.ts'
import { Storage } from './storage.ts'

/**
 * A deployment. The `contract` has all operations, except in tests. Throws a ConfigurationError if
 * the stage is invalid, or if there are too many operations.
 */
export class ServiceStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    stage: Stage,
    contract: Record<string, AnyEntry> = entries,
  ) {
    super(scope, id, {
      env: { account: stage.account, region: stage.region },
      terminationProtection: stage.deletionProtection,
      // CloudFormation passes the tags of a stack on to all its resources.
      tags: { service: service.name, stage: stage.name },
    })
    const problem = stageProblem(stage)
    if (problem) throw new ConfigurationError(`${id} ${problem}`)
    const storage = new Storage(this, 'Storage', stage)
    const operations = Object.entries(contract).map(
      ([operationId, entry]) => new OperationFunction(this, operationId, { entry, storage, stage }),
    )
    const api = new Api(this, 'Api', { operations, stage })
    new Monitoring(this, 'Monitoring', { api, operations, storage, stage })
    if (stage.release === 'canary')
      new CanaryRelease(this, 'Release', { operations, storage, stage })
    checkSize(this)
  }
}

/** CDK has the same limit, but its message does not say what to do. */
const checkSize = (stack: Stack): void => {
  const limit = stack.node.tryGetContext('@aws-cdk/core:stackResourceLimit') ?? 500
  const resources = stack.node.findAll().filter(CfnResource.isCfnResource).length
  if (resources <= limit) return
  throw new ConfigurationError(
    `${stack.stackName} has ${resources} resources, and CloudFormation allows ${limit}. Split the ` +
      'service in two: infra/LIMITS.md says how many operations fit.',
  )
}
