import type { Deprecated } from '../contract.ts'
import { absoluteUrl, type Middleware } from '../http.ts'

/**
 * Tells the callers of a deprecated operation, on every answer of it, since when it is deprecated (`Deprecation`, RFC
 * 9745), when it goes (`Sunset`, RFC 8594), and what replaces it (`Link`, RFC 5829).
 */
export const deprecation = ({ since, sunset, successor }: Deprecated): Middleware => {
  const always = { Deprecation: `@${since.getTime() / 1000}`, Sunset: sunset.toUTCString() }
  const tell: Middleware['after'] = ({ event, response }) => {
    if (!response) return
    const link = `<${absoluteUrl(event, successor)}>; rel="successor-version"`
    Object.assign(response.headers, {
      ...always,
      // One header may hold several links (RFC 8288, section 3): a list has one to its next page.
      Link: response.headers.Link ? `${response.headers.Link}, ${link}` : link,
    })
  }
  return { after: tell, onError: tell }
}
