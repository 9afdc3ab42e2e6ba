import type { Locator, Page } from 'playwright-core'

/** The console in which an operation is tried: what is sent, and what came back. */
export type Console = { dialog: Locator; body: Locator; response: Locator }

/** Pastes an API key where the page asks for one. */
export const pasteKey = (page: Page, key: string): Promise<void> => page.getByLabel('Bearer Token').first().fill(key)

/** Opens the console on an operation, such as `get /pets`, whose summary is in the table of contents. */
export const tryIt = async (page: Page, summary: string, operation: string): Promise<Console> => {
  await page.getByRole('link', { name: summary }).click()
  await page.getByRole('button', { name: `Test Request (${operation})` }).click()
  const dialog = page.getByRole('dialog')
  return {
    dialog,
    body: dialog.getByRole('region', { name: 'Request Body' }).getByRole('textbox'),
    response: dialog.getByRole('region', { name: 'Response', exact: true }),
  }
}

/** Sends what is in the console, waits until a response is shown that has this status and text, and returns its body. */
export const send = async ({ dialog, response }: Console, status: string, text: string): Promise<string> => {
  await dialog.getByRole('button', { name: /^Send (get|post) request/ }).click()
  await response.getByRole('link', { name: status }).waitFor()
  const body = response.getByRole('region', { name: 'Body' }).getByRole('textbox').filter({ hasText: text })
  return body.innerText()
}

/** Closes the console. */
export const close = async ({ dialog }: Console): Promise<void> => {
  await dialog.getByRole('button', { name: 'Close Client' }).click()
  await dialog.waitFor({ state: 'hidden' })
}
