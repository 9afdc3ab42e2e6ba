import { openApiText } from './document.ts'

// `npm run openapi` prints the interface as an OpenAPI 3.1 document.
process.stdout.write(openApiText())
