import { writeFileSync } from 'node:fs'
import { outcomes } from './outcomes.ts'
import { picture } from './picture.ts'
import { report } from './report.ts'

/** Simulates DynamoDB's partition limits for 1 to 64 shards. Draws `scale.svg` anew, and returns the tables. */
export const scale = async (): Promise<string> => {
  const simulated = outcomes()
  writeFileSync(new URL('scale.svg', import.meta.url), picture(simulated))
  return report(simulated)
}
