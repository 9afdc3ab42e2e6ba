/** Rows as a table in Markdown; the first is its heading. */
export const markdownTable = (rows: string[][]): string => {
  const [heading = [], ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`.replace('|  |', '| |'))
  return [heading, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`, ...body].join('\n')
}
