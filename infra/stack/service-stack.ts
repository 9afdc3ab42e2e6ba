import { Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { entries } from '../../shared/contract.ts'
import { service } from '../../shared/service.ts'
import { ConfigurationError, type Stage, stageProblem } from '../stages.ts'
import { Api } from './api.ts'
import { CanaryRelease } from './canary-release.ts'
import { Monitoring } from './monitoring.ts'
import { OperationFunction } from './operation-function.ts'
import { Storage } from './storage.ts'

/** A deployment. Throws a ConfigurationError if the stage is invalid. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id, {
      env: { account: stage.account, region: stage.region },
      terminationProtection: stage.deletionProtection,
      // CloudFormation passes the tags of a stack on to all its resources.
      tags: { service: service.name, stage: stage.name },
    })
    const problem = stageProblem(stage)
    if (problem) throw new ConfigurationError(`${id} ${problem}`)
    const storage = new Storage(this, 'Storage', stage)
    const operations = Object.entries(entries).map(
      ([operationId, entry]) => new OperationFunction(this, operationId, { entry, storage, stage }),
    )
    const api = new Api(this, 'Api', { operations, stage })
    new Monitoring(this, 'Monitoring', { api, operations, storage, stage })
    if (stage.release === 'canary')
      new CanaryRelease(this, 'Release', { operations, storage, stage })
  }
}
