// Chromium, and the built site on a free port. Nothing leaves this machine: requests to other hosts are refused.
import { chromium } from "playwright-core"
import { chromiumPath } from "../../scripts/chromium.ts"
import { serve } from "./serve.mjs"

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/** Without Chromium it says so and ends the process: successfully, except in CI. */
export async function openBrowser() {
  if (chromiumPath === undefined) {
    console.log("!!! SKIPPED: install Chromium, or set CHROMIUM_PATH to its executable !!!")
    process.exit(process.env["CI"] === "true" ? 1 : 0)
  }
  const server = await serve()
  const browser = await chromium.launch({ executablePath: chromiumPath, args })
  const close = async () => {
    await browser.close()
    server.close()
  }
  return { browser, site: server.url, close }
}
