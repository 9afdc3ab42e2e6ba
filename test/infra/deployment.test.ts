import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { CommandError, duration, explained } from '../../infra/command-line.ts'
import { findDeployment } from '../../infra/deployment.ts'
import { announce, readAnnouncements } from '../../infra/local/announcement.ts'
import { service } from '../../shared/service.ts'
import { serve } from '../support/fake-api.ts'
import { exampleCredentials } from '../support/secrets.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test('a duration is a number of seconds', () => {
  expect(['1s', '15m', '24h', '99999d'].map(duration)).toEqual([1, 900, 86_400, 8_639_913_600])
})

const invalid = ['', '0s', '24', 'h', '-1h', '1.5h', '1 h', '24H', '1h30m', '01h', '100000d', '١h']
test.each(invalid)('"%s" is no duration', (text) => {
  expect(() => duration(text)).toThrow('Use a whole number from 1 to 99999 followed by s, m, h or d')
})

describe('a stage in AWS', () => {
  /** Finds a deployment of production, where CloudFormation sends this response. */
  const findWith = async (status: number, body: string, prefix?: string) => {
    const { baseUrl, requests } = await serve({ status, body })
    vi.stubEnv('AWS_REGION', 'eu-central-1')
    vi.stubEnv('AWS_ENDPOINT_URL', baseUrl)
    const found = await findDeployment({ stage: 'production', prefix })
    return { found, stack: new URLSearchParams(requests[0]?.body).get('StackName') }
  }
  const output = (name: string) =>
    `<member><OutputKey>${name}</OutputKey><OutputValue>the ${name}</OutputValue></member>`
  const stackWith = (...names: string[]) =>
    `<R><DescribeStacksResult><Stacks><member><Outputs>${names.map(output).join('')}</Outputs></member></Stacks></DescribeStacksResult></R>`
  const name = `${service.stack}Production`
  const error = '<R><Error><Code>ValidationError</Code><Message>Stack with id a does not exist</Message></Error></R>'

  test('is known by the outputs of its stack', async () => {
    const { found, stack } = await findWith(200, stackWith('PetsTable', 'BaseUrl', 'ApiKeysTable'), 'mine-')

    expect(found).toEqual({ baseUrl: 'the BaseUrl', apiKeysTable: 'the ApiKeysTable', keyPrefix: 'live', database: {} })
    expect(stack).toBe(`mine-${name}`)
  })

  test.each([
    ['no stack', 400, error, `There is no stack ${name} in eu-central-1 of this AWS account.`],
    [
      'a missing output',
      200,
      stackWith('BaseUrl'),
      `The stack ${name} has no outputs BaseUrl and ApiKeysTable. Deploy this version first.`,
    ],
  ])('is unknown if there is %s', async (_problem, status, xml, line) => {
    await expect(findWith(status, xml)).rejects.toThrow(new CommandError(line))
  })

  const region = { AWS_REGION: 'eu-central-1' }
  const noCredentials = Object.fromEntries(Object.keys(exampleCredentials).map((name) => [name, undefined]))

  test.each<[Record<string, string | undefined>, RegExp]>([
    [{}, /^No AWS region is set\. Set AWS_REGION, or a region in the AWS profile\.$/],
    [{ ...region, ...noCredentials }, /^No AWS credentials can be used: .+ Run aws sso login, or set AWS_PROFILE\.$/],
    // Nothing listens on port 1.
    [{ ...region, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, /^AWS cannot be reached: connect ECONNREFUSED/],
  ])('has one line for a failure of AWS with %j', async (env, line) => {
    const unset = { AWS_REGION: undefined, AWS_PROFILE: undefined, AWS_ENDPOINT_URL: undefined }
    const least = { ...unset, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...env }
    for (const [name, value] of Object.entries(least)) vi.stubEnv(name, value)

    const error = await findDeployment({ stage: 'staging' }).catch(explained)

    expect(error).toBeInstanceOf(CommandError)
    expect(error).toHaveProperty('message', expect.stringMatching(line))
  })
})

describe('the announcement of a local server', () => {
  const genuine = { endpoint: 'http://127.0.0.1:8000', baseUrl: 'http://[::1]:3000/v1', apiKeysTable: 'Keys' }
  const newFolder = () => mkdtempSync(join(tmpdir(), 'announcements-'))
  const fileIn = (folder: string) => join(folder, '.local-server.3000.json')

  test.each<[string, object]>([
    ['a foreign API', { baseUrl: 'https://api.example.com/v1' }],
    ['a foreign database', { endpoint: 'https://dynamodb.eu-central-1.amazonaws.com' }],
    ['a user of another host', { endpoint: 'http://127.0.0.1:8000@example.com' }],
    ['a host that starts as this one', { endpoint: 'http://localhost.example.com' }],
    ['text that controls the terminal', { baseUrl: 'http://localhost:3000/\u001b[2J' }],
    ['a table that is no name', { apiKeysTable: 'Keys\u001b[2J' }],
    ['far too much', { rest: 'x'.repeat(2000) }],
  ])('is ignored if somebody wrote it with %s', (_, change) => {
    const folder = newFolder()

    writeFileSync(fileIn(folder), JSON.stringify(genuine))
    expect(readAnnouncements({ LOCAL_SERVERS: folder })).toEqual([genuine])
    writeFileSync(fileIn(folder), JSON.stringify({ ...genuine, ...change }))
    expect(readAnnouncements({ LOCAL_SERVERS: folder })).toEqual([])
  })

  test('leads commands to the running server that started last or has a port, without the credentials of a person', async () => {
    const folder = newFolder()
    vi.stubEnv('LOCAL_SERVERS', folder)
    for (const [name, value] of Object.entries(exampleCredentials)) vi.stubEnv(name, value)
    const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const find = async (port?: number) => (await findDeployment({ stage: 'local', port })).database
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
    const announceAt = (time: number, port: number, endpoint: string) => {
      const file = join(folder, `.local-server.${port}.json`)
      writeFileSync(file, JSON.stringify({ ...genuine, endpoint, baseUrl: `http://127.0.0.1:${port}/v1` }))
      utimesSync(file, time, time)
    }
    const [first, last] = [await serve({ status: 400 }), await serve({ status: 400 })].map(({ baseUrl }) => baseUrl)

    announceAt(3, 3003, 'http://127.0.0.1:1') // Nothing listens there.
    const notRunning = 'The local server is not running, or its database is unavailable. Start it with npm start.'
    await expect(find()).rejects.toThrow(new CommandError(notRunning))
    announceAt(1, 3001, `${first}`)
    expect(await find()).toMatchObject({ endpoint: first, credentials })
    announceAt(2, 3002, `${last}`)
    expect(await find(3001)).toMatchObject({ endpoint: first })
    expect(warned).not.toHaveBeenCalled()
    expect(await find()).toMatchObject({ endpoint: last })

    const addresses = 'http://127.0.0.1:3002/v1, http://127.0.0.1:3001/v1'
    expect(warned).toHaveBeenCalledExactlyOnceWith(`Using http://127.0.0.1:3002/v1. Choose with --port: ${addresses}\n`)
    const unknown = new CommandError(`No local server has the port 3003. Choose from: ${addresses}`)
    await expect(find(3003)).rejects.toThrow(unknown)
  })

  const makePipe = (file: string) => execFileSync('mkfifo', [file])
  const makeLink = (file: string) => {
    writeFileSync(`${file}.target`, JSON.stringify(genuine))
    symlinkSync(`${file}.target`, file)
  }
  /** Announces a server. Returns a function that ends its process. */
  const announceIn = (folder: string) => {
    vi.stubEnv('LOCAL_SERVERS', folder)
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', genuine.endpoint)
    vi.stubEnv('API_KEYS_TABLE', genuine.apiKeysTable)
    const exit = vi.spyOn(process, 'on').mockReturnValue(process)
    announce(genuine.baseUrl)
    return () => exit.mock.calls.forEach(([, listener]) => void listener())
  }

  test.each([
    ['a pipe', makePipe],
    ['a link', makeLink],
    ['an endless device', (file: string) => symlinkSync('/dev/zero', file)],
  ])('is not read from %s, and replaces it', (_, make) => {
    const folder = newFolder()
    make(fileIn(folder))

    expect(readAnnouncements({ LOCAL_SERVERS: folder })).toEqual([])
    const end = announceIn(folder)
    expect(readAnnouncements({ LOCAL_SERVERS: folder })).toEqual([genuine])
    end()
    expect(readdirSync(folder).filter((name) => !name.endsWith('.target'))).toEqual([])
    if (make === makeLink) expect(readFileSync(`${fileIn(folder)}.target`, 'utf8')).toBe(JSON.stringify(genuine))
  })

  test('is left alone by a server that ends after its successor has started', () => {
    const folder = newFolder()
    const end = announceIn(folder)
    const successor = JSON.stringify({ ...genuine, process: 1 })
    writeFileSync(fileIn(folder), successor)

    end()

    expect(readFileSync(fileIn(folder), 'utf8')).toBe(successor)
  })
})
