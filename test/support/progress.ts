/**
 * Shows on a terminal what a long command is doing, in a line that the next call replaces; an empty text removes it.
 * Prints nothing into a pipe.
 */
export const showProgress = (text: string, terminal = process.stderr): void => {
  if (terminal.isTTY) terminal.write(`\r\u001b[2K${text}`)
}
