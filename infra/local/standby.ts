/**
 * Preloaded by the next server of `npm run dev` (`node --import`): loads the packages, which takes half of a start, and
 * waits until the server before it has ended.
 */

import '@aws-sdk/client-dynamodb'
import '@aws-sdk/lib-dynamodb'
import { once } from 'node:events'
import 'node:http'
import 'valibot'

process.on('disconnect', () => process.exit()) // The process with the database has ended.
await once(process, 'message')
process.channel?.unref()
