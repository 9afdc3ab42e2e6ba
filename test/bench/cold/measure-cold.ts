import type { Figure } from '../figure.ts'
import { inLaboratory } from '../subjects/laboratory.ts'
import { shuffled } from '../subjects/shuffled.ts'
import type { Subject } from '../subjects/subject.ts'
import { coldFigures } from './cold-figures.ts'
import { type ColdStart, coldStart } from './cold-start.ts'

/** Starts every function, ours and others, so many times, and tells what the start in the middle took. */
export const measureCold = ({ starts }: { starts: number }): Promise<Figure[]> =>
  inLaboratory(async ({ functions, peers, surroundings }) => {
    const ours = Object.values(functions)
    const subjects = [...ours, ...ours.map(withoutFirstRead), ...peers]
    const runs = new Map(subjects.map((subject): [Subject, ColdStart[]] => [subject, []]))
    // One more, which does not count: it reads the bundles from disk for the first time.
    for (let round = 0; round <= starts; round++) {
      for (const subject of shuffled(subjects)) {
        const start = await coldStart(subject, surroundings)
        if (round > 0) runs.get(subject)?.push(start)
      }
    }
    return [...runs].flatMap(([subject, starts]) => coldFigures(subject, starts))
  })

/** Loaded as elsewhere than in Lambda: what is measured then is its code alone, as it is of those beside it. */
const withoutFirstRead = (subject: Subject): Subject => ({
  ...subject,
  name: `${subject.name}, no first read`,
  environment: { ...subject.environment, AWS_LAMBDA_INITIALIZATION_TYPE: '' },
})
