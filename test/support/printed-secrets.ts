import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOCAL_API_KEY } from '../../infra/local/announcement.ts'
import { secretsIn } from './secrets.ts'

/** Throws where a secret was printed: says which kind, and where it stands in the outputs that are kept in `folder`. */
export const refusePrintedSecrets = (folder: string): void => {
  const places = readdirSync(folder).flatMap((file) => {
    const source = decodeURIComponent(file)
    return secretsIn(withoutShown(source, readFileSync(join(folder, file), 'utf8'))).map((at) => `${source}, ${at}`)
  })
  if (places.length === 0) return
  throw new Error(`Secrets were printed. Outputs in ${folder}:\n  ${places.join('\n  ')}`)
}

// Each is there once in what a process prints, to show a key: the new one, or the one that is documented.
const shown: Record<string, RegExp[]> = {
  'infra/keys/main.ts, stdout': [/^(API key {2}pet_[a-z]+_\w{38}| {2}"key": "pet_[a-z]+_\w{38}",)$/m],
  'infra/local/main.ts, stdout': [
    new RegExp(`^ {2}API key {7}${LOCAL_API_KEY}$`, 'm'),
    new RegExp(`^ {2}Try it {8}curl \\S+ -H 'Authorization: Bearer ${LOCAL_API_KEY}'$`, 'm'),
  ],
}

const withoutShown = (source: string, text: string): string =>
  Object.entries(shown)
    .filter(([output]) => source.includes(output))
    .flatMap(([, lines]) => lines)
    .reduce((rest, line) => rest.replace(line, ''), text)
