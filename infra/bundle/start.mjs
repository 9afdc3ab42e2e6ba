// What Lambda loads: an ES module, because it can wait until the function is ready. The function
// itself is CommonJS, which loads faster (bundling.ts).
import { createRequire } from 'node:module'

const { handler } = createRequire(import.meta.url)('./index.js')
await handler.ready

export { handler }
