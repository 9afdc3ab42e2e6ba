import type { Template } from 'aws-cdk-lib/assertions'
import { type AlarmProperties, type Requests, watchedBy } from './simulated-metrics.ts'
import { resourcesOf } from './template.ts'

/** A notification: of which alarm, and in which minute. */
export type Mail = { alarm: string; state: 'ALARM' | 'OK'; minute: number }

/**
 * When CloudWatch evaluates an alarm. By default, its window slides: it ends at each minute. An
 * offset is the worst case: windows that follow each other, and begin at this minute of a period.
 */
export type Schedule = 'sliding' | { offset: number }

/** Minutes until CloudWatch has the data of a minute. */
const DELAY = 3

/**
 * Evaluates the alarms of a template that notify somebody, on the requests of each minute. Returns
 * a function that lists the notifications of a schedule. `extra` is how many periods more than an
 * alarm needs CloudWatch looks back for data: AWS does not say it exactly. Throws if an alarm has a
 * property that is not simulated.
 */
export const simulate = (template: Template, minutes: Requests[][]) => {
  const histories = resourcesOf(template, 'AWS::CloudWatch::Alarm')
    .filter(([, { Properties }]) => Properties.AlarmActions)
    .map(([id, { Properties }]) => historyOf(template, alarmName(id), Properties, minutes))
  return (schedule: Schedule, extra: number): Mail[] =>
    histories.flatMap((each) => mailsOf(each, schedule, extra))
}

/** The name of an alarm in `infra/stack/alarms.ts`, by its logical id. */
// CDK appends a hash of 8 characters.
export const alarmName = (id: string): string => id.slice('MonitoringAlarms'.length, -8)

/** `stateAt` is the state if the alarm is evaluated at the end of a minute. */
type History = {
  alarm: string
  period: number
  minutes: number
  stateAt: (end: number, extra: number) => Mail['state']
}

const historyOf = (
  template: Template,
  alarm: string,
  properties: AlarmProperties,
  minutes: Requests[][],
): History => {
  const { ComparisonOperator, TreatMissingData, Threshold, EvaluationPeriods } = properties
  if (ComparisonOperator !== 'GreaterThanThreshold' || TreatMissingData !== 'notBreaching')
    throw new Error(
      `${ComparisonOperator} with missing data as ${TreatMissingData} is not simulated.`,
    )
  const { DatapointsToAlarm = EvaluationPeriods } = properties
  const { period, measure } = watchedBy(template, properties)
  const windows = minutes.map((_, end) =>
    measure(minutes.slice(Math.max(0, end + 1 - period), end + 1).flat()),
  )
  const evaluate = (end: number, extra: number): Mail['state'] => {
    const ends = Array.from({ length: EvaluationPeriods + extra }, (_, i) => end - i * period)
    // CloudWatch takes the latest points that exist. Only if they are too few, missing ones
    // count, as good.
    const points = ends.map((each) => windows[each]).filter((point) => point !== undefined)
    const breaching = points.slice(0, EvaluationPeriods).filter((point) => point > Threshold)
    return breaching.length >= DatapointsToAlarm ? 'ALARM' : 'OK'
  }
  // Most schedules share their moments.
  const known: Mail['state'][][] = []
  const stateAt = (end: number, extra: number): Mail['state'] => {
    known[extra] ??= []
    known[extra][end] ??= evaluate(end, extra)
    return known[extra][end]
  }
  return { alarm, period, minutes: minutes.length, stateAt }
}

const mailsOf = (
  { alarm, period, minutes, stateAt }: History,
  schedule: Schedule,
  extra: number,
): Mail[] => {
  const [first, step] = schedule === 'sliding' ? [0, 1] : [schedule.offset % period, period]
  const mails: Mail[] = []
  let last: Mail['state'] = 'OK'
  for (let end = first; end < minutes; end += step) {
    const state = stateAt(end, extra)
    if (state !== last) mails.push({ alarm, state, minute: end + 1 + DELAY })
    last = state
  }
  return mails
}
