import type { Outcome, Outcomes } from './outcomes.ts'
import { pictureStyle } from './picture-style.ts'

type Line = { name: string; label: string; of: (row: Outcomes[number]) => Outcome }

const LINES: Line[] = [
  { name: 'creates raised', label: 'with a higher quota', of: ({ creates }) => creates.oneWithoutQuota },
  { name: 'pages raised', label: 'with a higher quota', of: ({ pages }) => pages.oneWithoutQuota },
  { name: 'creates', label: 'creates of one status', of: ({ creates }) => creates.one },
  { name: 'pages', label: 'pages of one status', of: ({ pages }) => pages.one },
  { name: 'all', label: 'pages of all', of: ({ pages }) => pages.all },
]

const [LEFT, RIGHT, TOP, BOTTOM] = [64, 560, 48, 340]
const [LOWEST, HIGHEST] = [100, 100_000]

/** What is reached by number of shards, drawn as SVG on two logarithmic axes, for pages light and dark. */
export const picture = (outcomes: Outcomes): string =>
  [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 400" role="img" aria-labelledby="title">',
    `<style>${pictureStyle}</style>`,
    `<text id="title" x="${LEFT}" y="24">Requests a second that DynamoDB serves, simulated</text>`,
    ...[100, 1000, 10_000, 100_000].map(gridLine),
    ...outcomes.map((row) => text('tick', place(row.shards, outcomes), BOTTOM + 20, String(row.shards))),
    text('tick', (LEFT + RIGHT) / 2, BOTTOM + 44, 'shards: readShards and writeShards'),
    ...LINES.flatMap((line) => [curve(line, outcomes), label(line, outcomes)]),
    '</svg>',
    '',
  ].join('\n')

const curve = ({ name, of }: Line, outcomes: Outcomes): string => {
  const points = outcomes.map((row) => `${place(row.shards, outcomes)},${height(of(row).served)}`)
  return `<polyline class="${name}" points="${points.join(' ')}"/>`
}

const label = ({ name, label, of }: Line, outcomes: Outcomes): string => {
  const last = outcomes.at(-1)
  return last ? text(`label ${name}`, RIGHT + 8, height(of(last).served) + 4, label) : ''
}

const gridLine = (perSecond: number): string => {
  const y = height(perSecond)
  const line = `<line x1="${LEFT}" y1="${y}" x2="${RIGHT}" y2="${y}"/>`
  return line + text('value', LEFT - 8, y + 4, perSecond.toLocaleString('en'))
}

const text = (name: string, x: number, y: number, content: string): string =>
  `<text class="${name}" x="${round(x)}" y="${round(y)}">${content}</text>`

const place = (shards: number, outcomes: Outcomes): number => {
  const most = outcomes.at(-1)?.shards ?? 1
  return round(LEFT + ((RIGHT - LEFT) * Math.log(shards)) / Math.log(most))
}

const height = (perSecond: number): number =>
  round(BOTTOM - ((BOTTOM - TOP) * Math.log(twoDigits(perSecond) / LOWEST)) / Math.log(HIGHEST / LOWEST))

// The picture is compared byte by byte: it must not change with the last digits of a sum.
const twoDigits = (number: number): number => Number(number.toPrecision(2))
const round = (number: number): number => Math.round(number * 10) / 10
