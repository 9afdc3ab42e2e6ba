import { PetStatus } from '../model/pet.ts'
import { setting } from './settings.ts'

// Animals without a status have a partition of their own: they are in the list of all, and in no filtered one.
const NONE = 'none'

/**
 * The partition of the index `byStatus` that an animal is written to. One takes 1,000 writes a second; creates of one
 * status spread over as many as the setting `writeShards` says.
 */
export const statusShard = (status: PetStatus | undefined, id: number): string =>
  `${status ?? NONE}#${id % Number(setting('writeShards'))}`

/** The partitions that hold the animals of one status, or of all. */
export const statusShards = (status?: PetStatus): string[] => {
  const shards = Array.from({ length: Number(setting('readShards')) }, (_, shard) => shard)
  return (status ? [status] : [...PetStatus.options, NONE]).flatMap((name) => shards.map((shard) => `${name}#${shard}`))
}
