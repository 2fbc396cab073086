// Opens a page of every kind in Chromium: accessibility on both sizes of screen, contrast in the dark too, weight, requests to
// other hosts, and what is left without scripts.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { openBrowser } from "./browser.mjs"

const kinds = [
  "/index.html",
  "/start/index.html",
  "/start/next.html",
  "/concepts/sign-in.html",
  "/guides/configuration.html",
  "/guides/pages.html",
  "/guides/sessions.html",
  "/guides/account-area.html",
  "/testing/playwright.html",
  "/cookbook/proxies.html",
  "/providers.html",
  "/providers/google.html",
  "/adapters/kysely-adapter.html",
  "/conformance.html",
  "/compare/index.html",
  "/compare/attacks.html",
  "/compare/passwords.html",
  "/compare/speed.html",
  "/options/session.html",
  "/reference/cookies.html",
  "/reference/pages.html",
  "/reference/errors.html",
  "/packages/express.html",
  "/api/index.html",
  "/api/core-jwt.html",
  "/decisions/index.html",
  "/contents.html",
  "/questions.html",
]

/** Characters of a page without its styles and scripts. */
const largestPage = 1_500_000
/** Bytes of a first visit without compression: the page with its styles and scripts. */
const largestTotal = 600_000

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const problems = []

/** @param options of Playwright's context */
async function open(browser, url, options) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const visit = { foreign: [], errors: [] }
  page.on("request", (request) => {
    const isOwn = new URL(request.url()).origin === new URL(url).origin
    if (!isOwn && !request.url().startsWith("data:")) visit.foreign.push(request.url())
  })
  page.on("pageerror", (error) => visit.errors.push(error.message))
  page.on("console", (message) => message.type() === "error" && visit.errors.push(message.text()))
  await page.goto(url, { waitUntil: "load" })
  await page.waitForTimeout(300)
  return { context, page, visit }
}

const everyRule = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

async function checkAccessibility(page, name, runOnly) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate((rules) => globalThis.axe.run(document, { runOnly: rules }), runOnly)
  for (const { id, help, nodes } of violations)
    problems.push(`${name}: ${id}: ${help}: ${nodes[0]?.target.join(" ")} (${nodes.length})`)
}

async function checkVisit(browser, site, kind, { rules = everyRule, ...options }) {
  const name = `${kind} (${options.viewport.width} px, ${options.colorScheme})`
  const { context, page, visit } = await open(browser, `${site}${kind}`, options)
  await checkAccessibility(page, name, rules)
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  if (overflow > 0) problems.push(`${name}: is ${overflow} px wider than the window`)
  if (visit.foreign.length > 0) problems.push(`${name}: loads ${visit.foreign.join(", ")}`)
  if (visit.errors.length > 0) problems.push(`${name}: reports ${visit.errors.join("; ")}`)
  const bytes = await page.evaluate(() =>
    ["navigation", "resource"]
      .flatMap((type) => performance.getEntriesByType(type))
      .reduce((total, { decodedBodySize }) => total + decodedBodySize, 0),
  )
  if (bytes > largestTotal) problems.push(`${name}: loads ${bytes} bytes, more than ${largestTotal}`)
  await context.close()
  return bytes
}

/** The text, the links and the diagrams have to be there without scripts. */
async function checkWithoutScripts(browser, site, kind) {
  const { context, page } = await open(browser, `${site}${kind}`, { javaScriptEnabled: false })
  const name = `${kind} without scripts`
  const heading = await page.locator("h1").first().isVisible()
  const [text = ""] = await page.locator(".VPContent").allInnerTexts()
  if (!heading) problems.push(`${name}: the heading is hidden`)
  if (text.length < 200) problems.push(`${name}: shows ${text.length} characters`)
  const source = await page.content()
  if (source.length > largestPage) problems.push(`${name}: has ${source.length} characters, more than ${largestPage}`)
  await context.close()
}

/** A framework that is chosen in one place is shown in all others, on the next page too, and by keyboard. */
async function checkTabs(browser, site) {
  const { context, page } = await open(browser, `${site}/guides/security.html`, {
    viewport: { width: 1280, height: 900 },
  })
  const expectShown = async (name, step) => {
    const shown = await page.locator(".vp-code-group:has(label:text-is('Nuxt')) input:checked + label").allInnerTexts()
    if (shown.length === 0 || shown.some((text) => text !== name)) problems.push(`tabs: ${step}: shows ${shown}`)
    const blocks = await page.locator(".vp-code-group .blocks > .active").count()
    const groups = await page.locator(".vp-code-group").count()
    if (blocks !== groups) problems.push(`tabs: ${step}: ${blocks} of ${groups} groups show code`)
  }
  await page.locator(".vp-code-group label:text-is('SvelteKit')").last().click()
  await expectShown("SvelteKit", "after a click")
  await page.keyboard.press("ArrowRight")
  await expectShown("Nuxt", "after a key")
  await page.goto(`${site}/guides/sessions.html`, { waitUntil: "load" })
  await page.waitForFunction(() => document.querySelector("input:checked + label")?.textContent === "Nuxt")
  await expectShown("Nuxt", "on the next page")
  await context.close()
}

const { browser, site, close } = await openBrowser()
let largest = 0
try {
  for (const kind of kinds) {
    const wide = { viewport: { width: 1280, height: 900 } }
    const bytes = await checkVisit(browser, site, kind, { ...wide, colorScheme: "light" })
    largest = Math.max(largest, bytes)
    await checkVisit(browser, site, kind, { ...wide, colorScheme: "dark", rules: ["color-contrast"] })
    await checkVisit(browser, site, kind, { viewport: { width: 390, height: 844 }, colorScheme: "light" })
    await checkWithoutScripts(browser, site, kind)
    console.log(`pages: ${kind}: ${bytes} bytes`)
  }
  await checkTabs(browser, site)
} finally {
  await close()
}

for (const problem of problems) console.error(problem)
console.log(`pages: ${kinds.length} kinds, up to ${largest} bytes for a first visit, ${problems.length} problems`)
process.exit(problems.length > 0 ? 1 : 0)
