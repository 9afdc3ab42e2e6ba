import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What is wrong with a data folder, in a sentence for its owner. */
export class DataFolderError extends Error {}

/** The DataFolderError for an error of LevelDB, the file system or `claimFolder`. */
export const folderError = (folder: string | undefined, error: unknown): DataFolderError =>
  new DataFolderError(`Cannot use the data folder ${folder}: ${reason(error)}`)

/** LevelDB has the error of the system, or of its own, as the cause. */
const reason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  if (!(cause instanceof Error)) return message
  return 'code' in cause && cause.code === 'LEVEL_LOCKED'
    ? 'another server is using it.'
    : cause.message
}

/**
 * Creates a data folder with a file that names its format. Checks an existing one without opening
 * it, because LevelDB would delete files of other programs. Throws an Error with the reason.
 */
export const claimFolder = (folder: string, format: number): void => {
  createFolder(folder)
  const files = readdirSync(folder).filter((file) => !OF_SYSTEMS.includes(file))
  const own = `format-${format}`
  if (files.length === 0) writeFileSync(join(folder, own), '')
  else if (!files.includes(own)) throw new Error(formatProblem(files, own))
  else if (!files.includes('CURRENT') && files.some((file) => hasData(folder, file)))
    throw new Error('its file CURRENT is missing. Restore that file, or choose a new folder.')
}

/** What file systems and desktops put into a folder. */
const OF_SYSTEMS = ['lost+found', '.DS_Store']

/** Whether a file has data of LevelDB. A first start that was cut off leaves others. */
const hasData = (folder: string, file: string): boolean =>
  file.endsWith('.ldb') || (file.endsWith('.log') && statSync(join(folder, file)).size > 0)

const formatProblem = (files: string[], own: string): string => {
  const other = files.find((file) => file.startsWith('format-'))
  if (!other) return 'it has files of another program. Choose a new folder.'
  return (
    `its data has the format ${other.slice(7)}, and this version uses ${own.slice(7)}. ` +
    'Use the commit that made it, or a new folder.'
  )
}

// With `recursive`, mkdirSync would never return from a folder such as /proc/data.
const createFolder = (folder: string): void => {
  if (existsSync(folder)) return
  createFolder(dirname(folder))
  mkdirSync(folder)
}
