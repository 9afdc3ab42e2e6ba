import type { Json } from './schemas.ts'

/** Where the API is: the deployment that serves the document, and those that `cdk deploy` makes. */
export const servers: Json[] = [
  { url: '/v1', description: 'The deployment that serves this document' },
  deployed('Production', 'PetStoreProduction'),
  deployed('Staging', 'PetStoreStaging'),
]

function deployed(name: string, stack: string): Json {
  return {
    url: 'https://{api}.execute-api.{region}.amazonaws.com/v1',
    description: name,
    variables: {
      api: { default: 'abcdef1234', description: `In the output BaseUrl of the stack ${stack}` },
      region: { default: 'us-east-1', description: 'The region of AWS that it was deployed to' },
    },
  }
}
