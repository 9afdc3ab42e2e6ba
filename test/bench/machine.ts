import { availableParallelism, cpus, totalmem } from 'node:os'

/** What was measured on: without it a figure says little. `memory` is in GB. */
export type Machine = { cores: number; cpu: string; memory: number; node: string }

export const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  memory: Math.round(totalmem() / 1e9),
  node: process.version,
})

export const inWords = ({ cores, cpu, memory, node }: Machine): string =>
  `${cores} cores of ${cpu}, ${memory} GB of memory, Node.js ${node}`
