import { operationIds } from '../../shared/contract.ts'

/** The part of Schemathesis's JSON report that is read here. */
export type Report = {
  complete: boolean
  operations: { tested: number }
  phases: Record<string, { status: string }>
  test_cases: { generated: number }
  /** How many valid requests were accepted, by operation and phase. */
  valid_rates: Record<string, Record<string, { accepted: number }>>
}

const LEAST_CASES = 2000
const LEAST_ACCEPTED = 100
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful']

/** The reasons why a run without findings proves too little. */
export const shortcomingsOf = ({ complete, operations, phases, test_cases, valid_rates }: Report): string[] => {
  const cases = test_cases.generated
  const skipped = PHASES.filter((phase) => phases[phase]?.status !== 'success')
  const accepted = Object.entries(valid_rates).map(([operation, rates]) => {
    const count = Object.values(rates).reduce((total, rate) => total + rate.accepted, 0)
    return { operation, count }
  })
  return [
    ...(complete ? [] : ['The run was not completed.']),
    ...(operations.tested === operationIds.length ? [] : [`Only ${operations.tested} operations were tested.`]),
    ...skipped.map((phase) => `The phase ${phase} did not run.`),
    ...(cases >= LEAST_CASES ? [] : [`There were ${cases} test cases, fewer than ${LEAST_CASES}.`]),
    ...accepted
      .filter(({ count }) => count < LEAST_ACCEPTED)
      .map(({ operation, count }) => `${operation} accepted ${count} requests, fewer than ${LEAST_ACCEPTED}.`),
  ]
}
