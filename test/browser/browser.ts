import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const path = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Starts a browser, without a window. Throws where there is none. */
export const startBrowser = (): Promise<Browser> => {
  if (!existsSync(path))
    throw new Error(
      `There is no browser at ${path}. Install Chromium (on Debian: apt-get install chromium), or say where one is: CHROMIUM=<path> npm run test:browser`,
    )
  return chromium.launch({ executablePath: path })
}
