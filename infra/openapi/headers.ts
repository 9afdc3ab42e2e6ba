import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import type { Json } from './schemas.ts'

/** The headers that `paths` refer to, for the components of the document. */
export const componentHeaders = (paths: Json): Json => {
  const text = JSON.stringify(paths)
  const components: Json = {}
  for (const [name, { description, schema, required }] of Object.entries(HEADERS))
    if (text.includes(`"${referenceTo(name)}"`))
      components[name] = { description, schema: { type: 'string', ...schema }, required }
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

type Header = {
  description: string
  schema?: Json
  /** Each response for which the header is documented has it. */
  required?: true
}

const HEADERS: Record<string, Header> = {
  'Access-Control-Allow-Origin': {
    description: 'Any web page may read the response (CORS).',
    schema: { const: '*' },
    required: true,
  },
  'X-Request-Id': {
    description: 'Identifies the request in the logs of the service.',
    required: true,
  },
  Location: {
    description: 'The path of the new resource.',
    schema: { pattern: '^/' },
    required: true,
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the response to an earlier request with the same key.',
    schema: { const: 'true' },
  },
  ETag: {
    description: 'The revision of the resource, for the header `If-Match` of a change.',
    schema: { pattern: '^"' },
    required: true,
  },
  Link: {
    description: 'The URL of the next page (`next`), or of a replacement (`successor-version`).',
  },
  Deprecation: {
    description: 'When the operation was deprecated.',
    schema: { pattern: '^@\\d+$' },
  },
  Sunset: { description: 'When the operation will be removed.' },
  'Retry-After': {
    description: 'The number of seconds to wait before a retry.',
    schema: { pattern: '^\\d+$' },
    required: true,
  },
  'Accept-Patch': { description: 'The media types of a change.', required: true },
  'WWW-Authenticate': {
    description:
      'Why the API key was rejected. API Gateway puts `x-amzn-Remapped-` before the name.',
  },
}
