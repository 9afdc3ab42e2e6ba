import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failure, outcomeOf, start, takenPort, temporaryFolder } from './command.ts'

test('refuses an unknown option', async () => {
  const outcome = await outcomeOf(['--verbose'])

  expect(outcome).toEqual(failure("Unknown option '--verbose'. See npm start -- --help"))
})

test('refuses a port that is in use, of the option and of PORT', async () => {
  const port = await takenPort()

  const outcomes = await Promise.all([outcomeOf(['--port', `${port}`]), outcomeOf([], { PORT: `${port}` })])

  const line = `Cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}. Take another --host or --port; port 0 is any free one.`
  expect(outcomes).toEqual([failure(line), failure(line)])
})

test('refuses an address that is not of this machine', async () => {
  const outcome = await outcomeOf(['--port', '0', '--host', '192.0.2.1'])

  expect(outcome).toEqual(
    failure(
      'Cannot listen: listen EADDRNOTAVAIL: address not available 192.0.2.1. Take another --host or --port; port 0 is any free one.',
    ),
  )
})

test('refuses a data folder that is a file, is below one, or has no parent', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'file')
  const orphan = join(folder, 'no', 'such')
  writeFileSync(file, '')

  const outcomes = await Promise.all(
    [file, join(file, 'x'), orphan].map((data) => outcomeOf(['--port', '0', '--data', data])),
  )

  expect(outcomes).toEqual([
    failure(`The data folder cannot be used: ENOTDIR: not a directory, mkdir '${join(file, 'lock')}'`),
    failure(`The data folder cannot be used: ENOTDIR: not a directory, mkdir '${join(file, 'x')}'`),
    failure(`The data folder cannot be used: ENOENT: no such file or directory, mkdir '${orphan}'`),
  ])
})

test('refuses a data folder that another server uses', async () => {
  const folder = temporaryFolder()
  await start(['--data', folder])

  const outcome = await outcomeOf(['--port', '0', '--data', folder])

  expect(outcome).toEqual(failure('The data folder cannot be used: another server is using it.'))
})

test('lets only one of two servers that start on a data folder at once have it', async () => {
  const args = ['--port', '0', '--data', temporaryFolder()]

  const first = await Promise.race([outcomeOf(args), outcomeOf(args)])
  const third = await outcomeOf(args)

  const refused = failure('The data folder cannot be used: another server is using it.')
  expect([first, third]).toEqual([refused, refused])
})
