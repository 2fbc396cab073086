import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const candidates = [process.env["LATCHKEY_CHROMIUM"], "/usr/bin/chromium"]

const executable = candidates.find((path) => path && existsSync(path))

/** False if browser tests cannot run. */
export const hasChromium: boolean = executable !== undefined

if (!hasChromium)
  console.warn("!!! BROWSER TESTS OF THE DEMO SKIPPED: Chromium not found. Set LATCHKEY_CHROMIUM to its path. !!!")

/** Launches a headless Chromium without background network requests. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(executable ? { executablePath: executable } : {}),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  })
}
