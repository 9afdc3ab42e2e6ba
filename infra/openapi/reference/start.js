// Shows the document with Scalar, whose script has run before this one.
const settings = document.querySelector('script[type="application/json"]')
const { url, servers, token, customCss } = JSON.parse(settings.textContent)

// Leaves out `not`, which the page would show as a puzzle: descriptions state it. The console does
// not send optional parameters unless they are selected: otherwise, a list would lack items.
const simplify = (key, value) => {
  if (key === 'not') return undefined
  if (value?.required !== false) return value
  const { example = value.schema.default } = value
  return { ...value, examples: { default: { value: example, 'x-disabled': true } } }
}

const customFetch = async (...request) => {
  const response = await fetch(...request)
  if (new URL(response.url).pathname !== url) return response
  return Response.json(JSON.parse(await response.text(), simplify))
}

Scalar.createApiReference(document.querySelector('div'), {
  url,
  servers,
  customCss,
  customFetch,
  authentication: { preferredSecurityScheme: 'apiKey', securitySchemes: { apiKey: { token } } },
  withDefaultFonts: false,
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  documentDownloadType: 'direct',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})
