import { service } from '../../../shared/service.ts'
import { referencePaths } from '../../gateway.ts'
import { referencePage, referenceScriptText } from '../../openapi/page.ts'
import { LOCAL_API_KEY } from '../database/credentials.ts'

const SCRIPT = '/docs.js'

/** The page with the local API key. It gets its script from here, so it works without a network. */
const page = () => referencePage(service.basePath + SCRIPT, LOCAL_API_KEY)

/** The script of the page. It is made when it is first requested, because that takes 60 ms. */
let scriptText: string | undefined

const script = () => {
  scriptText ??= referenceScriptText()
  return { headers: { 'Content-Type': 'text/javascript; charset=utf-8' }, body: scriptText }
}

/** The page and its script, by path. */
export const pageDocuments = { [referencePaths.page]: page, [SCRIPT]: script }
