/** Lines of cells as text: the first cell of each at the left, the others at the right of their columns. */
export const inColumns = (lines: string[][]): string => {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  const text = (line: string[]) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
  return lines.map((line) => `${text(line).join('  ').trimEnd()}\n`).join('')
}
