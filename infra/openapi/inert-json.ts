/**
 * JSON text of the same value in which nothing means anything to API Gateway, which serves text as templates of the
 * Velocity Template Language: `$` and `#` begin what is filled in, and two backslashes may stand for one. ASCII, too.
 */
export const inertJson = (json: string): string =>
  json.replaceAll(/\\\\|[$#]|[^ -~\n]/g, (part) => `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`)
