import type { Deprecated } from '../entry.ts'
import { absoluteUrl, type Middleware } from '../gateway-event.ts'

/**
 * Announces the removal of an operation: since when it is deprecated (RFC 9745), when it will be
 * removed (RFC 8594), and what replaces it (`Link`, RFC 5829).
 */
export const deprecation = ({ since, sunset, successor }: Deprecated): Middleware => {
  const dates = { Deprecation: `@${since.getTime() / 1000}`, Sunset: sunset.toUTCString() }
  const announce: Middleware['after'] = ({ event, response }) => {
    if (!response) return
    const link = `<${absoluteUrl(event, successor)}>; rel="successor-version"`
    Object.assign(response.headers, {
      ...dates,
      // A list already links to its next page. One header may hold several (RFC 8288, section 3).
      Link: response.headers.Link ? `${response.headers.Link}, ${link}` : link,
    })
  }
  return { after: announce, onError: announce }
}
