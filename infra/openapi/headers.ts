import { entries } from '../../shared/contract.ts'
import { EXAMPLE_ETAG } from '../../shared/model/etag.ts'
import { Cursor } from '../../shared/model/paging.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { service } from '../../shared/service.ts'
import { exampleMember, type Json } from './schemas.ts'

/** The headers that `paths` refer to, for the components of the document. */
export const componentHeaders = (paths: Json): Json => {
  const text = JSON.stringify(paths)
  const components: Json = {}
  for (const [name, { description, schema, example, required }] of Object.entries(HEADERS)) {
    if (!text.includes(`"${referenceTo(name)}"`)) continue
    components[name] = { description, schema: { type: 'string', ...schema }, example, required }
  }
  return components
}

/** References to the headers `names` of a response, and to those of each response. */
export const headerReferences = ({ deprecated }: AnyEntry, names: string[]): Json => {
  const references: Json = {}
  const notice = deprecated ? ['Deprecation', 'Sunset', 'Link'] : []
  for (const name of [...COMMON_HEADERS, ...names, ...notice])
    references[name] = { $ref: referenceTo(name) }
  return references
}

const referenceTo = (header: string): string => `#/components/headers/${header}`

const COMMON_HEADERS = ['Access-Control-Allow-Origin', 'X-Request-Id']

const examplePath = (fits: (entry: AnyEntry) => unknown): string =>
  service.basePath + (Object.values(entries).find(fits)?.path ?? '')

const NEXT = `limit=1&cursor=${exampleMember(Cursor).example}`

type Header = {
  description: string
  schema?: Json
  example: string
  /** Each response for which the header is documented has it. */
  required?: true
}

const HEADERS: Record<string, Header> = {
  'Access-Control-Allow-Origin': {
    description: 'Any web page may read the response (CORS).',
    schema: { const: '*' },
    example: '*',
    required: true,
  },
  'X-Request-Id': {
    description: 'Identifies the request in the logs of the service.',
    example: 'WtooPXbkRGDu1bY=',
    required: true,
  },
  Location: {
    description: 'The path of the new resource.',
    schema: { pattern: '^/' },
    example: `${examplePath(({ method }) => method === 'POST')}/373212905455903`,
    required: true,
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the response to an earlier request with the same key.',
    schema: { const: 'true' },
    example: 'true',
  },
  ETag: {
    description: 'The revision of the resource, for the header `If-Match` of a change.',
    schema: { pattern: '^"' },
    example: EXAMPLE_ETAG,
    required: true,
  },
  Link: {
    description:
      'Related URLs (RFC 8288): `next` is the next page, `successor-version` replaces a ' +
      'deprecated operation.',
    example: `<https://api.example.com${examplePath(({ pages }) => pages)}?${NEXT}>; rel="next"`,
  },
  Deprecation: {
    description: 'The date on which the operation was deprecated.',
    schema: { pattern: '^@\\d+$' },
    example: '@1795132800',
  },
  Sunset: {
    description: 'The date on which the operation will be removed.',
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  'Retry-After': {
    description: 'The number of seconds to wait before a retry.',
    schema: { pattern: '^\\d+$' },
    example: '1',
    required: true,
  },
  'Accept-Patch': {
    description: 'The media types of a change (RFC 5789).',
    example: 'application/json, application/merge-patch+json',
    required: true,
  },
  'WWW-Authenticate': {
    description:
      'Why the API key was rejected (RFC 6750). API Gateway renames this header to ' +
      '`x-amzn-Remapped-WWW-Authenticate`.',
    example: `Bearer realm="${service.name}", error="invalid_token"`,
  },
}
