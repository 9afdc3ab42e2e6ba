import { placeholders } from '../../../infra/local/announcement.ts'
import { openDatabase } from '../../../infra/local/database.ts'
import { settings } from '../../../shared/data/tables.ts'

// A database in a process of its own, so that its garbage is not collected in the time of a function. It says what a
// function must have in its environment to use it, and ends with the process that started it.
await openDatabase(process.argv[2])
const names = [...Object.values(settings), ...Object.keys(placeholders), 'AWS_ENDPOINT_URL_DYNAMODB']
process.send?.(Object.fromEntries(names.map((name) => [name, process.env[name]])))
process.once('disconnect', () => process.exit())
