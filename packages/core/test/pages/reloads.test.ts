import { globSync, readFileSync } from "node:fs"
import { join, sep } from "node:path"
import { Auth } from "@latchkey/core"
import { accountArea } from "@latchkey/core/account-area"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { emailSection } from "../../src/features/account-area/email.js"
import { factorsSection } from "../../src/features/account-area/factors.js"
import { sectionNames } from "../../src/features/account-area/names.js"
import { passkeysSection } from "../../src/features/account-area/passkeys.js"
import { sessionsSection } from "../../src/features/account-area/sessions.js"
import { signInMethodsSection } from "../../src/features/account-area/sign-in-methods.js"
import { openPasswords, password, strategies } from "../setup/password-setup.js"
import { pages, type Shown } from "../setup/reload-pages.js"
import { ask, get, post } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const html = { accept: "text/html" }

/** What differs each time that a page is shown: sealed tickets, and the reference of an error in the log. */
const withoutTickets = (text: string): string =>
  text.replaceAll(/(name="ticket" value=")[^"]*/g, "$1").replaceAll(/\b[0-9A-Z]{4}-[0-9A-Z]{2}\b/g, "reference")

/** Except when a session was last seen. */
const isWrite = (method: string): boolean => !/^(?:get|list|find|seeSession)/.test(method)
const writesOf = ({ adapter }: Pick<Shown, "adapter">) => adapter.calls.filter(({ method }) => isWrite(method))

describe.each(strategies)("pages that are loaded again, with %s sessions", (strategy) => {
  it.each(Object.entries(pages))("%s: the same page, and nothing is changed or lost", async (_, [, open]) => {
    using _clock = fixedClock()
    const shown = await open(strategy)
    const { browser } = shown
    const { page: opened } = browser
    if (!opened) throw new Error("The browser shows no page")
    const { url, status } = opened
    const first = [status, opened.find("h1")?.text, opened.text()]
    const [writes, session] = [writesOf(shown).length, await browser.session()]
    const path = `${url.pathname}${url.search}`
    const texts: string[] = []
    for (let n = 0; n < 2; n++) {
      const page = await browser.open(path)
      expect([page.status, page.find("h1")?.text, withoutTickets(page.text())]).toEqual(
        first.map((value) => (typeof value === "string" ? withoutTickets(value) : value)),
      )
      expect(page.url.href).toBe(url.href)
      texts.push(withoutTickets((await get(browser, path, html)).text))
    }
    expect(new Set(texts).size).toBe(1)
    expect(writesOf(shown).slice(writes)).toEqual([])
    expect(await browser.session()).toEqual(session)
  })
})

/** Refusals that are answers to the form. A reload sends it again, and is refused again. */
const refusals: Readonly<Record<string, readonly [status: number, fields: Readonly<Record<string, string>>]>> = {
  "a form whose token was lost": [403, { csrfToken: "0".repeat(64), action: "save", name: "Eve" }],
  "a form with an unknown action": [400, { action: "explode" }],
  "a form that is no text": [400, { action: "constructor" }],
}

describe("a refusal that is the answer to a form", () => {
  it.each(Object.entries(refusals))(
    "is repeated by a reload, which changes nothing: %s",
    async (_, [status, fields]) => {
      const { signUp, adapter } = openPasswords({ accountArea: accountArea() })
      const browser = await signUp()
      const before = writesOf({ adapter }).length
      const answers = []
      for (let n = 0; n < 2; n++) answers.push(await post(browser, "/auth/account/profile", fields, { headers: html }))
      expect(answers.map((answer) => answer.status)).toEqual([status, status])
      expect(new Set(answers.map(({ text }) => withoutTickets(text))).size).toBe(1)
      expect(writesOf({ adapter }).slice(before)).toEqual([])
    },
  )

  it("is repeated by a reload, which changes nothing: too many requests", async () => {
    using _clock = fixedClock()
    const { host, adapter } = openPasswords({ rateLimit: { budgets: { signIn: { limit: 2, windowSeconds: 60 } } } })
    const form = { csrfToken: await host.browser.csrfToken(), email: "new@example.com", password }
    const context = { clientAddress: "198.51.100.7" }
    const handler = (request: Request) => Auth(request, host.config, context)
    const options = { cookie: cookiesOf(host.browser), form, headers: html }
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) {
      const before = writesOf({ adapter }).length
      const { status } = await ask({ handler }, "/auth/password/sign-up", options)
      statuses.push(status)
      if (status === 429) expect(writesOf({ adapter })).toHaveLength(before)
    }
    expect(statuses).toEqual([302, 302, 429, 429, 429])
  })

  it("is repeated by a reload, which changes nothing: a store that fails", async () => {
    const { signUp, host, adapter } = openPasswords({ accountArea: accountArea() })
    const browser = await signUp()
    const csrfToken = await browser.csrfToken()
    const failing = {
      ...host.config,
      adapter: { ...host.config.adapter, listSessionsByUserId: () => Promise.reject() },
    }
    const handler = (request: Request) => Auth(request, { ...failing, providers: host.config.providers })
    const form = { csrfToken, action: "save", name: "Eve" }
    const before = writesOf({ adapter }).length
    for (let n = 0; n < 2; n++) {
      const options = { cookie: cookiesOf(browser), form, headers: html }
      expect((await ask({ handler }, "/auth/account/profile", options)).status).toBe(503)
    }
    expect(writesOf({ adapter })).toHaveLength(before)
  })
})

/** Functions that show a page and have no row, and why. */
const others: Readonly<Record<string, string>> = {
  "actions/error.ts#renderError": "shows the pages of other functions",
  "actions/refuse.ts#renderTooManyRequests": "a refusal of above",
  "actions/refuse.ts#showStoreFailure": "a refusal of above",
  "actions/refuse.ts#showConfigurationError": "the same for each request until the app is mended",
  "features/account-area/email-undo.tsx#showPage": "shows the pages of other functions",
  "features/provider-logout/receive.ts#receiveFrame": "a frame of the provider's page, without a visitor",
  "methods/email/follow-link.ts#followLink": "its page is that of actions/link-page.ts",
  "methods/password/reply.ts#showPage": "shows the pages of other functions",
}

/** The functions that render a page for a request. */
function listRenderers(): readonly string[] {
  const root = join(import.meta.dirname, "..", "..", "src")
  const found = new Set<string>()
  for (const path of globSync("{actions,features,methods}/**/*.{ts,tsx}", { cwd: root })) {
    const file = path.split(sep).join("/")
    let name = ""
    for (const line of file.includes(".test.") ? [] : readFileSync(join(root, path), "utf8").split("\n")) {
      name = /^(?:export )?(?:async )?(?:function|const) (\w+)/.exec(line)?.[1] ?? name
      const isShown = /\b(?:toPage|renderError|html|showPage)\(/.test(line) && !/function \w+\(/.test(line)
      if (isShown && file !== "features/page.ts") found.add(`${file}#${name}`)
    }
  }
  return [...found].sort()
}

describe("the table of pages", () => {
  it("has every function that shows a page", () => {
    const listed = [...Object.values(pages).map(([by]) => by), ...Object.keys(others)]
    const isArea = /account-area\/page\.tsx#/
    expect([...new Set(listed)].filter((by) => !isArea.test(by)).sort()).toEqual(
      listRenderers().filter((by) => !isArea.test(by)),
    )
    expect(listed).toEqual(expect.arrayContaining([...listRenderers()]))
  })

  it("has every section of the account area, and every step of one", () => {
    const sections = [emailSection, factorsSection, passkeysSection, sessionsSection, signInMethodsSection]
    const steps = sections.flatMap(({ name, steps = {} }) => Object.keys(steps).map((step) => `${name}, ${step}`))
    expect(Object.keys(pages)).toEqual(expect.arrayContaining([...sectionNames, ...steps]))
  })
})
