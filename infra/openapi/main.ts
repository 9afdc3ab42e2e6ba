import { writeFileSync } from 'node:fs'
import { command, run } from '../command-line.ts'
import { openApiText } from './document.ts'

const main = command('npm run -s openapi --', 'Prints the interface as an OpenAPI 3.1 document.')
  .option('--out <file>', 'write the document to this file')
  .action(({ out }) => {
    if (out) writeFileSync(out, openApiText())
    else process.stdout.write(openApiText())
  })

await run(main)
