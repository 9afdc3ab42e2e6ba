import { service } from '../../../shared/service.ts'
import { referencePaths } from '../../gateway.ts'
import { referencePage, referenceScript, referenceScriptText } from '../../openapi/page.ts'
import { LOCAL_API_KEY } from '../database/credentials.ts'

const SCRIPT = '/docs.js'

/** The page with the local API key. Its script is from here, so that it needs no network. */
const page = () =>
  referencePage(`${service.basePath}${SCRIPT}?${referenceScript.version}`, LOCAL_API_KEY)

/** The script of the page. It is made at the first request, because that takes 60 ms. */
let scriptText: string | undefined

const script = () => {
  scriptText ??= referenceScriptText()
  return { headers: scriptHeaders, body: scriptText }
}

const scriptHeaders = {
  'Cache-Control': 'public, max-age=31536000, immutable', // The address contains the version.
  'Content-Type': 'text/javascript; charset=utf-8',
}

/** The page and its script, by path. */
export const pageDocuments = { [referencePaths.page]: page, [SCRIPT]: script }
