/** How much is measured: so many calls in a row, in so many rounds, once so many calls have made the code fast. */
export type Effort = { rounds: number; calls: number; warmUp: number }
