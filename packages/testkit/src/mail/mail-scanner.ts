import { createBrowser } from "../browser/browser.js"
import { type Handler, overHttp } from "../browser/navigation.js"
import type { Page } from "../browser/page.js"

/** How a scanner examines a link, in the order of what it dares. */
export const scannerModes = ["head", "get", "headless", "redirects", "buttons"] as const

/**
 * - `head` sends HEAD, and `get` sends GET, without cookies and without following redirects.
 * - `headless` opens the link twice like headless Chrome: with the headers of a browser, without cookies, each time in a
 *   new profile. It follows redirects and forms that submit themselves.
 * - `redirects` keeps its cookies and opens every link of the page, too.
 * - `buttons` also submits every form of the page.
 */
export type ScannerMode = (typeof scannerModes)[number]

/** A program that examines mails before the person sees them. */
export interface MailScanner {
  /** Opens every link in a mail's text or HTML. */
  scan(mail: string): Promise<void>
}

/**
 * Creates a scanner for tests.
 * @param handler The app that the links lead to. Default: the network.
 * @example await mailScanner("headless", host.handler).scan(mail.text)
 */
export function mailScanner(mode: ScannerMode, handler: Handler = overHttp): MailScanner {
  const examine = examinations[mode]
  return {
    async scan(mail) {
      for (const link of findLinks(mail)) await examine(link, handler)
    },
  }
}

/** Every http(s) URL, once. */
function findLinks(mail: string): readonly URL[] {
  const found = mail.match(/https?:\/\/[^\s"'<>]+/g) ?? []
  return [...new Set(found.map((text) => text.replaceAll("&amp;", "&")))].map((text) => new URL(text))
}

type Examine = (link: URL, handler: Handler) => Promise<void>

const request =
  (method: "HEAD" | "GET"): Examine =>
  async (link, handler) => {
    const response = await handler(new Request(link, { method }))
    await response.body?.cancel()
  }

const openBrowser = (link: URL, handler: Handler) => createBrowser({ handler, origin: link.origin })

async function openOnce(link: URL, handler: Handler): Promise<void> {
  await openBrowser(link, handler).open(link)
}

async function openEverything(link: URL, handler: Handler): Promise<void> {
  const browser = openBrowser(link, handler)
  const page = await browser.open(link)
  for (const target of linksOf(page)) await browser.open(target)
}

async function pressEverything(link: URL, handler: Handler): Promise<void> {
  const browser = openBrowser(link, handler)
  const page = await browser.open(link)
  for (const form of page.forms()) {
    await browser.open(link)
    await browser.submit(form)
  }
}

function linksOf(page: Page): readonly URL[] {
  const targets = page.findAll("a").map((link) => new URL(link.attribute("href") ?? "", page.url))
  return targets.filter(({ origin }) => origin === page.url.origin)
}

const examinations: Readonly<Record<ScannerMode, Examine>> = {
  head: request("HEAD"),
  get: request("GET"),
  async headless(link, handler) {
    await openOnce(link, handler)
    await openOnce(link, handler)
  },
  redirects: openEverything,
  buttons: pressEverything,
}
