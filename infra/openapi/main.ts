import { writeFileSync } from 'node:fs'
import { CommandError, command, run } from '../command-line.ts'
import { openApiText } from './document.ts'

const main = command('npm run -s openapi --', 'Prints the interface as an OpenAPI 3.1 document.')
  .option('--out <file>', 'write the document to this file')
  .action(({ out }) => {
    if (out === undefined) return void process.stdout.write(openApiText())
    try {
      writeFileSync(out, openApiText())
    } catch (error) {
      throw new CommandError(`Cannot write the document: ${error instanceof Error ? error.message : error}`)
    }
  })

await run(main)
