// Chromium, and the built site on a free port. Nothing leaves this machine: requests to other hosts are refused.
import { existsSync } from "node:fs"
import { chromium } from "playwright-core"
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
  const executablePath = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium"].find((path) => path && existsSync(path))
  if (executablePath === undefined) {
    console.log("!!! SKIPPED: install Chromium, or set CHROMIUM_PATH to its executable !!!")
    process.exit(process.env["CI"] === "true" ? 1 : 0)
  }
  const server = await serve()
  const browser = await chromium.launch({ executablePath, args })
  const close = async () => {
    await browser.close()
    server.close()
  }
  return { browser, site: server.url, close }
}
