import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OperationId, operationIds } from '../../shared/contract.ts'
import { settings } from '../../shared/data/tables.ts'
import type { Bundles } from '../support/bundles.ts'
import { bundledAsOurs, bundleFile } from './bundle-file.ts'

/** For tests, in the place of the bundles that are deployed: CDK takes longer to make those than the tests take. */
export const quickBundles = async (): Promise<Bundles> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-bundles-'))
  const made = operationIds.map(async (id): Promise<[OperationId, string]> => {
    const own = await bundleFile(`functions/${id}.ts`, folder, bundledAsOurs)
    copyFileSync('infra/bundle/start.mjs', join(own, 'start.mjs'))
    return [id, own]
  })
  const folders = new Map(await Promise.all(made))
  return {
    folderOf: (id) => folders.get(id) ?? '',
    handlerOf: () => 'start.handler',
    environmentOf: () => ({ [settings.readShards]: '1', [settings.writeShards]: '1' }),
    remove: () => {},
  }
}
