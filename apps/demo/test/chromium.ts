import { setTimeout } from "node:timers/promises"
import { type Browser, chromium } from "playwright-core"
import { chromiumPath } from "../../../scripts/chromium.js"

/** False if browser tests cannot run. */
export const hasChromium: boolean = chromiumPath !== undefined

if (!hasChromium) console.warn("!!! BROWSER TESTS SKIPPED: Chromium not found. Set CHROMIUM_PATH to its path. !!!")

/**
 * Launches a headless Chromium without background network requests. No call of `close` waits longer than `patienceMs`.
 *
 * @param trustedKey the hash of a public key whose certificates are trusted. Unlike `ignoreHTTPSErrors`, this does not make
 *   Chromium connect twice for each request, until it gives up with ERR_TOO_MANY_RETRIES
 * @param options `hasBackCache` keeps whole pages for Back, as for users. Playwright turns that off.
 */
export async function launchChromium(
  trustedKey?: string,
  { hasBackCache = false }: { readonly hasBackCache?: boolean } = {},
): Promise<Browser> {
  const browser = await chromium.launch({
    ...(hasBackCache && { ignoreDefaultArgs: ["--disable-back-forward-cache"] }),
    ...(chromiumPath && { executablePath: chromiumPath }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...(trustedKey ? [`--ignore-certificate-errors-spki-list=${trustedKey}`] : []),
    ],
  })
  const processId = await findProcessId(browser)
  limitClose(browser, "itself", () => process.kill(processId, "SIGKILL"))
  // Nothing more to do for a context: it ends with its browser.
  browser.on("context", (context) => {
    limitClose(context, "a context", () => {})
    // Generous on purpose: it should only catch hangs.
    context.setDefaultTimeout(120_000)
  })
  return browser
}

/** Long enough for a busy machine. Chromium sometimes never answers a request to close, which a test cannot wait for. */
const patienceMs = 15_000

/** Makes `close` wait no longer than `patienceMs`, and then call `giveUp`. */
function limitClose(closable: Pick<Browser, "close">, name: string, giveUp: () => void): void {
  const close = closable.close.bind(closable)
  closable.close = async (options) => {
    const closing = close(options).then(() => true)
    if (await Promise.race([closing, setTimeout(patienceMs, false, { ref: false })])) return
    console.warn(`Chromium did not close ${name} within ${patienceMs} ms`)
    giveUp()
  }
}

async function findProcessId(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send("SystemInfo.getProcessInfo")
  await session.detach()
  const found = processInfo.find(({ type }) => type === "browser")
  if (!found) throw new Error("Chromium did not list its own process")
  return found.id
}
