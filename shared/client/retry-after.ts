/** After how many seconds an answer wants to see the request again (RFC 9110, section 10.2.3). */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const value = headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(value)) return Number(value)
  // By the clock of whoever wrote the date, where that is told: ours may be wrong.
  const now = Date.parse(headers.get('Date') ?? '') || Date.now()
  const seconds = (Date.parse(value) - now) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
