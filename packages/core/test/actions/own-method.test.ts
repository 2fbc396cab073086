import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { CredentialsSignin } from "@latchkey/core/errors"
import { settingsOf, signIn } from "@latchkey/core/integration"
import { type MemoryAdapter, memoryAdapter, type TestHostOptions } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { macHex } from "../../src/crypto/hash.js"
import { openHost } from "../setup/hosts.js"
import { ask, post } from "../setup/requests.js"
import { expectQuiet, pathOf, pathOfPage } from "../setup/sign-ins.js"
import { Card } from "./card/card.js"
import type { CardConfig } from "./card/steps.js"

const email = "ada@corp.test"
const number = "4711081547110815"
const card = { email, number }
const secret = "a secret of at least thirty-two characters"

/** A host that signs in with printed cards, and one card for Ada. */
async function openCardHost(options: TestHostOptions = {}, changes: Partial<CardConfig> = {}) {
  const adapter = memoryAdapter()
  await printCard(adapter)
  const host = openHost({ adapter, secret, providers: [Card(changes)], ...options })
  return { host, adapter, browser: host.browser, settings: settingsOf(host.config, { env: {} }) }
}

const cardToken = async () => macHex(secret, "card number", JSON.stringify(["card", number]))

async function printCard(adapter: MemoryAdapter, expires: Date = new Date(Date.now() + 60_000)): Promise<void> {
  await adapter.createVerificationToken({ identifier: email, token: await cardToken(), expires })
}

const caller = () => ({ headers: new Headers({ host: "app.test" }) })

describe("a sign-in method of a provider's own: configuration", () => {
  async function errorOf(options: TestHostOptions, changes: Partial<CardConfig> = {}): Promise<string> {
    const { host } = await openCardHost(options, changes)
    expect((await ask(host, "/auth/session")).status).toBe(500)
    return host.logger.errors[0]?.message ?? ""
  }

  it("rejects an invalid option with its path", async () => {
    expect(await errorOf({}, { numberLength: 4 })).toBe(
      "providers.card.numberLength: must be a whole number, 12 or more",
    )
  })

  it("rejects an adapter that lacks one of its methods", async () => {
    const { linkAccount: _, ...adapter } = memoryAdapter()
    expect(await errorOf({ adapter, session: { strategy: "jwt" } })).toBe("adapter: a card provider needs linkAccount")
  })
})

describe("a sign-in method of a provider's own: requests", () => {
  it("shows its form on the sign-in page, which signs in without JavaScript", async () => {
    const { browser } = await openCardHost()
    const page = await browser.open("/auth/signin?callbackUrl=/in")
    expect(page.text()).toContain("Card number")
    expect((await browser.submit('form[action$="/callback/card"]', card)).url.href).toBe("https://app.test/in")
    expect((await browser.session())?.user?.email).toBe(email)
  })

  it("is listed with its URLs", async () => {
    const { host } = await openCardHost()
    expect((await ask(host, "/auth/providers")).json()).toEqual({
      card: {
        id: "card",
        name: "Card",
        type: "credentials",
        signinUrl: "https://app.test/auth/signin/card",
        callbackUrl: "https://app.test/auth/callback/card",
      },
    })
  })

  it("redirects POST /signin/<id> to the sign-in page", async () => {
    const { browser } = await openCardHost()
    expect(pathOf((await post(browser, "/auth/signin/card")).location)).toBe("/auth/signin")
  })

  it("rejects a callback without the CSRF token, before the card is read", async () => {
    const { host, adapter } = await openCardHost()
    const answer = await ask(host, "/auth/callback/card", { form: card })
    expect(pathOf(answer.location)).toBe("/auth/signin?error=MissingCSRF")
    expect(adapter.calls.map(({ method }) => method)).toEqual(["createVerificationToken"])
  })

  it("rejects a callback by GET", async () => {
    const { host, adapter } = await openCardHost()
    await ask(host, `/auth/callback/card?email=${email}&number=${number}`)
    expect(host.logger.errorTypes()).toEqual(["InvalidProvider"])
    expect(adapter.calls.map(({ method }) => method)).toEqual(["createVerificationToken"])
  })

  it.each([
    ["unknown", { email, number: "0000000000000000" }],
    ["another person's", { email: "walt@corp.test", number }],
    ["malformed", { email, number: "4711" }],
  ])("rejects a card that is %s", async (_, fields) => {
    const { host, browser, adapter } = await openCardHost()
    expect(pathOfPage(await browser.signIn("card", fields))).toBe(
      "/auth/signin?error=CredentialsSignin&code=credentials",
    )
    await expectQuiet(host, browser, adapter)
  })

  it("rejects a card that was used", async () => {
    const { host, browser } = await openCardHost()
    await browser.signIn("card", card)
    const other = host.newBrowser()
    expect(pathOfPage(await other.signIn("card", card))).toBe("/auth/signin?error=CredentialsSignin&code=credentials")
    expect(await other.session()).toBeNull()
  })

  it("rejects an expired card", async () => {
    const { host, adapter, browser } = await openCardHost()
    await adapter.useVerificationToken({ identifier: email, token: await cardToken() })
    await printCard(adapter, new Date(Date.now() - 1))
    await browser.signIn("card", card)
    await expectQuiet(host, browser, adapter)
  })

  it("limits the attempts against one address", async () => {
    const { host } = await openCardHost({
      rateLimit: { budgets: { failuresPerNetworkAndAccount: { limit: 2, windowSeconds: 60 } } },
    })
    const browser = host.newBrowser({ clientAddress: "192.0.2.1" })
    const wrong = { email, number: "0000000000000000" }
    const statuses = []
    for (let attempt = 0; attempt < 3; attempt++)
      statuses.push((await post(browser, "/auth/callback/card", wrong)).status)
    expect(statuses).toEqual([302, 302, 429])
    expect((await post(browser, "/auth/callback/card", card)).status).toBe(429)
  })
})

describe.each(["jwt", "database"] as const)("a sign-in method of a provider's own: %s sessions", (strategy) => {
  it("calls callbacks and sends events in the order of the contract", async () => {
    const steps: string[] = []
    const step = (name: string) => async () => void steps.push(name)
    const { host, browser, adapter } = await openCardHost({
      session: { strategy },
      callbacks: { signIn: ({ account }) => steps.push(`ask signIn ${account?.provider}`) > 0 },
      events: {
        createUser: step("createUser"),
        linkAccount: step("linkAccount"),
        signIn: step("signIn"),
      },
    })
    const page = await browser.signIn("card", { ...card, callbackUrl: "/in" })
    expect(page.url.href).toBe("https://app.test/in")
    expect(steps).toEqual(["ask signIn card", "createUser", "linkAccount", "signIn"])
    const user = await adapter.getUserByAccount({ provider: "card", providerAccountId: email })
    const account = { provider: "card", providerAccountId: email, type: "credentials" }
    expect(host.events.of("signIn")).toEqual([{ user, account, isNewUser: true }])
    expect((await browser.session())?.user?.email).toBe(email)
  })

  it("signs in the owner of the account again", async () => {
    const { host, browser, adapter } = await openCardHost({ session: { strategy } })
    await browser.signIn("card", card)
    await printCard(adapter)
    host.events.clear()
    const other = host.newBrowser()
    await other.signIn("card", card)
    expect((await other.session())?.user?.email).toBe(email)
    expect(host.events.of("createUser")).toEqual([])
    expect(host.events.of("signIn")).toMatchObject([{ isNewUser: false }])
  })

  it("creates no user and no session when the signIn callback returns false", async () => {
    const { host, browser, adapter } = await openCardHost({ session: { strategy }, callbacks: { signIn: () => false } })
    expect(pathOfPage(await browser.signIn("card", card))).toBe("/auth/error?error=AccessDenied")
    await expectQuiet(host, browser, adapter)
  })

  it("completes a sign-in that server code starts", async () => {
    const { settings, host } = await openCardHost({ session: { strategy } })
    const { url, cookies } = await signIn(caller(), settings, { providerId: "card", fields: card, redirectTo: "/in" })
    expect(url).toBe("https://app.test/in")
    expect(cookies.map(({ name }) => name)).toContain("__Secure-authjs.session-token")
    expect(host.events.names()).toContain("signIn")
  })

  it("throws its error to server code", async () => {
    const { settings } = await openCardHost({ session: { strategy } })
    const options = { providerId: "card", fields: { email, number: "0000000000000000" } }
    await expect(signIn(caller(), settings, options)).rejects.toBeInstanceOf(CredentialsSignin)
  })
})

describe("a provider whose type the service does not know", () => {
  it("signs in with the method of its factory", async () => {
    const provider = { ...Card(), type: "card" as never }
    const { browser } = await openCardHost({ providers: [provider] })
    await browser.open("/auth/signin")
    await browser.submit('form[action$="/callback/card"]', card)
    expect((await browser.session())?.user?.email).toBe(email)
  })
})

describe("the recipe for a sign-in method", () => {
  const recipe = readFileSync(join(import.meta.dirname, "../../../../docs/recipes/method.md"), "utf8")

  it.each(["card.ts", "steps.ts"])("shows %s of this test", (file) => {
    const text = readFileSync(join(import.meta.dirname, "card", file), "utf8")
    const asInCore = text.replaceAll("../../../src/methods/", "../").replaceAll("../../../src/", "../../")
    expect(recipe).toContain(asInCore)
  })
})

describe("the sources of the service", () => {
  const sources = join(import.meta.dirname, "../../src")
  /**
   * These may compare types. `oauth` distinguishes OpenID Connect from OAuth 2.0, and so do the records of sessions: only an ID
   * token names the session at the provider.
   */
  const rooms = /^(?:(?:methods|types|providers|oauth)\/|session\/records\.ts$)/
  const typeCheck = /(\w\.type|case) ?([!=]==)? "(oauth|oidc|email|credentials|webauthn)"/

  it("compare a provider's type only in the folders of the sign-in methods", () => {
    const files = globSync("**/*.{ts,tsx}", { cwd: sources }).filter((file) => !/\.test(-d)?\.tsx?$/.test(file))
    const others = files.filter((file) => !rooms.test(file))
    expect(others.length).toBeGreaterThan(60)
    expect(others.filter((file) => typeCheck.test(readFileSync(join(sources, file), "utf8")))).toEqual([])
  })
})
