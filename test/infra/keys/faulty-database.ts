import '../../support/database.ts'
import { beforeEach } from 'vitest'
import { KeyTable } from '../../../infra/keys/key-table.ts'
import { setting } from '../../../shared/data/tables.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'

/** Stands between the commands and the database, and lets everything pass unless a test says otherwise. */
export const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')

beforeEach(() => {
  proxy.faultOf = () => 'pass'
  proxy.counts = {}
})

export const deployment = {
  baseUrl: '',
  apiKeysTable: setting('apiKeysTable'),
  keyPrefix: 'local',
  database: { endpoint: proxy.endpoint },
} as const

export const table = new KeyTable(deployment)
