import { operationIds } from '../../shared/contract.ts'

/** What Schemathesis tells of a run in its JSON report, as far as it is read here. */
export type Report = {
  complete: boolean
  operations: { tested: number }
  phases: Record<string, { status: string }>
  test_cases: { generated: number }
  /** What came of valid requests, by operation and phase. */
  valid_rates: Record<string, Record<string, { accepted: number }>>
}

const LEAST_CASES = 2000
const LEAST_ACCEPTED = 100
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful']

/** What a run in which nothing was found lacks as a proof. */
export const shortcomingsOf = ({ complete, operations, phases, test_cases, valid_rates }: Report): string[] => {
  const accepted = Object.entries(valid_rates).map(
    ([operation, rates]) => [operation, sum(Object.values(rates).map((rate) => rate.accepted))] as const,
  )
  return [
    ...(complete ? [] : ['The run was not completed.']),
    ...(operations.tested === operationIds.length ? [] : [`Of the operations, ${operations.tested} were tried.`]),
    ...PHASES.filter((phase) => phases[phase]?.status !== 'success').map((phase) => `Its phase ${phase} was left out.`),
    ...(test_cases.generated >= LEAST_CASES
      ? []
      : [`${test_cases.generated} cases are too few: it takes ${LEAST_CASES}.`]),
    ...accepted
      .filter(([, count]) => count < LEAST_ACCEPTED)
      .map(
        ([operation, count]) =>
          `${operation} took ${count} valid requests, too few to tell: it takes ${LEAST_ACCEPTED}.`,
      ),
  ]
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
