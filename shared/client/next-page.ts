/**
 * The query of the next page, from a list's `Link` header (RFC 8288); `undefined` on the last page. The rest of the
 * address is not needed: wherever it may lead, the API key goes to the base address alone.
 */
export const nextPage = (headers: Headers): string | undefined =>
  /<[^>?]*(\?[^>]*)>[^,]*;\s*rel="?next\b/.exec(headers.get('Link') ?? '')?.[1]
