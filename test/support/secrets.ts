/** Which kinds of secrets stand in a text, and where first: `line 3: an API key`. */
export const secretsIn = (text: string): string[] => {
  const lines = text.split('\n')
  return Object.entries(secrets).flatMap(([kind, pattern]) => {
    const first = lines.findIndex((line) => pattern.test(line))
    return first === -1 ? [] : [`line ${first + 1}: ${kind}`]
  })
}

/** What stands in an answer that is none of its reader's business, a secret or not. */
export const internalsIn = (answer: string): string[] =>
  Object.entries({ ...secrets, ...internals }).flatMap(([kind, pattern]) => (pattern.test(answer) ? [kind] : []))

const secrets = {
  // A mistyped one or a part of one, too.
  'an API key': /pet_(live|test|local)_[0-9A-Za-z]{8}/,
  // As a line, in an object or a list, in JSON, and in JSON within JSON. Our messages say `Bearer <API_KEY>`.
  'the value of Authorization': /\bauthorization(\\*["'] *[:,]|:) *(\[ *$|\[? *\\*["']?(?!Bearer <)[\w+/])/i,
  'a bearer token': /\bBearer +(?!realm=)[\w.~+/-]/i,
  'a name and a password': /\bBasic +[\w+/]{4}/,
  'AWS credentials':
    /\b(AKIA|ASIA)[0-9A-Z]{16}\b|EXAMPLE(KEY|TOKEN)|(secret_?access_?key|session_?token|security-token)\\*["']? *[:=] *\\*["']?[\w+/]/i,
}

const internals = {
  'a stack trace': /\bat .*(\.[cm]?[jt]s|node:[\w/]+|<anonymous>|native):\d+:\d+/,
  'the path of a file': /file:\/\/|node:internal|\b(functions|infra|node_modules|shared|test)\/[\w./@-]+\.[cm]?[jt]s\b/,
  'the name of a table': /\bPetStore(Local|Staging|Production)-/,
  // Not every exception: API Gateway has some of its own.
  'an error of the database':
    /\b(dynamodb|aws-sdk|smithy)\b|(Resource|Conditional|Throughput|Validation)\w*Exception|\bECONN[A-Z]/i,
  'a digest': /\b[0-9a-f]{64}\b/,
}
