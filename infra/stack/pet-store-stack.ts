import { Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { contract, type Operation } from '../../shared/contract.ts'
import { service } from '../../shared/service.ts'
import { checkStage, type Stage } from '../stages.ts'
import { Api } from './api.ts'
import { Monitoring } from './monitoring.ts'
import { OperationFunction } from './operation-function.ts'
import { Storage } from './storage.ts'

/**
 * One deployment of the service: its tables, a function for each operation, the API and the monitoring.
 *
 * @throws StageError if the stage is invalid
 */
export class PetStoreStack extends Stack {
  constructor(scope: Construct, id: string, stage: Stage) {
    // CloudFormation passes the tags of a stack on to all its resources.
    super(scope, id, {
      terminationProtection: stage.deletionProtection,
      tags: { service: service.name, stage: stage.name },
    })
    checkStage(id, stage)
    const storage = new Storage(this, 'Storage', stage)
    const operations = Object.entries<Operation>(contract).map(
      ([operationId, entry]) => new OperationFunction(this, operationId, { entry, storage, stage }),
    )
    const api = new Api(this, 'Api', { operations, stage })
    new Monitoring(this, 'Monitoring', { api, operations, storage, stage })
  }
}
