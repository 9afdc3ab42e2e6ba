import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CommandError } from '../../../infra/command-line.ts'

/** A certificate for `localhost`, its key, and the file that holds the authority to verify it by. */
export type Certificate = { key: Buffer; cert: Buffer; authorityFile: string }

/** Makes one as AWS has them: of RSA with 2,048 bits, and signed by another. Writes it into `folder`. */
export const makeCertificate = async (folder: string): Promise<Certificate> => {
  const path = (name: string) => join(folder, name)
  const files = (name: string) => ['-keyout', path(`${name}-key.pem`), '-out', path(`${name}.pem`)]
  const authority = ['-CA', path('authority.pem'), '-CAkey', path('authority-key.pem')]
  const leaf = ['-addext', 'subjectAltName=DNS:localhost', '-addext', 'basicConstraints=critical,CA:FALSE']
  await openssl([...files('authority'), '-subj', '/CN=Authority of a bench'])
  await openssl([...files('localhost'), '-subj', '/CN=localhost', ...authority, ...leaf])
  return {
    key: readFileSync(path('localhost-key.pem')),
    cert: readFileSync(path('localhost.pem')),
    authorityFile: path('authority.pem'),
  }
}

const openssl = async (args: string[]): Promise<void> => {
  try {
    await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...args])
  } catch (error) {
    throw new CommandError(`This needs openssl, version 3 or later: ${reasonOf(error)}`)
  }
}

const reasonOf = (error: unknown): string => `${error instanceof Error ? error.message : error}`.split('\n')[0] ?? ''
