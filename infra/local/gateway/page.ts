import { service } from '../../../shared/service.ts'
import { referencePaths } from '../../gateway.ts'
import { referencePage, referenceScriptText } from '../../openapi/page.ts'
import { LOCAL_API_KEY } from '../database/credentials.ts'

const SCRIPT = '/docs.js'

/** The page with the local API key. It gets its script from here, so it works without a network. */
const page = () => referencePage(service.basePath + SCRIPT, LOCAL_API_KEY)

/**
 * The script of the page, 4 MB. It is made when it is first requested, because that takes 60 ms,
 * and in bytes: Node.js would copy a text for each client that has not read it yet.
 */
let scriptBytes: Buffer | undefined

const script = () => {
  scriptBytes ??= Buffer.from(referenceScriptText())
  return { headers: { 'Content-Type': 'text/javascript; charset=utf-8' }, body: scriptBytes }
}

/** The page and its script, by path. */
export const pageDocuments = { [referencePaths.page]: page, [SCRIPT]: script }
