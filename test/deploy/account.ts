import { randomUUID } from 'node:crypto'

/** Where an emulated AWS is, and who may do everything there: as clients of the AWS SDK take it. */
export type Account = {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

export const REGION = 'eu-central-1'

/** Who may do everything in a new emulated AWS. Never twice the same: the CDK remembers accounts by access key. */
export const newCredentials = (): Account['credentials'] => ({
  accessKeyId: randomUUID(),
  secretAccessKey: randomUUID(),
})

/** The credentials as commands take them. */
export const credentialsEnvironment = ({ accessKeyId, secretAccessKey }: Account['credentials']) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
})

/** The account as commands take it. What this machine is configured with, which may be a real account, is out of reach. */
export const environmentOf = ({ endpoint, region, credentials }: Account) => ({
  ...credentialsEnvironment(credentials),
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: region,
  AWS_CONFIG_FILE: '/nowhere',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
})
