import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const candidates = [process.env["LATCHKEY_CHROMIUM"], "/usr/bin/chromium"]

const executable = candidates.find((path) => path && existsSync(path))

/** False where tests with a browser cannot run. */
export const hasChromium: boolean = executable !== undefined

if (!hasChromium) console.warn("!!! BROWSER TESTS OF THE DEMO SKIPPED: no Chromium. Name one in LATCHKEY_CHROMIUM. !!!")

/** Headless, quiet, and calling nobody. */
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
