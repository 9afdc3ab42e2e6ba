import { CommandError } from '../../../infra/command-line.ts'
import type { Result } from '../../../shared/http.ts'
import type { Call, Subject } from './subject.ts'

/** Throws where an answer is not the right one: a failure may be quick, and says nothing. */
export const checkAnswer = ({ name }: Subject, call: Call, answer: Result): void => {
  if (!call.isRight(answer)) throw new CommandError(`${name} gave a wrong answer: ${JSON.stringify(answer)}`)
}
