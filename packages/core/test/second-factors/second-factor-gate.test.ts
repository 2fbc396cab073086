import { readdirSync, readFileSync } from "node:fs"
import { Auth } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import { providerLogout } from "@latchkey/core/provider-logout"
import { signOutEverywhere } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { authenticatorApp, type Browser, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { macHex } from "../../src/crypto/hash.js"
import type { ResolvedProvider } from "../../src/types/resolved.js"
import { ask, post, readAnswer, requestTo } from "../setup/requests.js"
import {
  address,
  begin,
  change,
  type FactorHost,
  give,
  hasSessionCookie,
  listOwn,
  openFactors,
  strategies,
} from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

/** Signs in by one way. What was necessary before the second factor was set up is done by `prepare`. */
interface Way {
  /** The folder of the method, in `src/methods`. */
  readonly method: string
  readonly prepare?: (browser: Browser, hosting: FactorHost) => Promise<unknown>
  readonly signIn: (browser: Browser, hosting: FactorHost) => Promise<unknown>
  readonly amr: string
}

const device = softwareAuthenticator()

/** Every way into the app. The compiler refuses a type of provider without one, the test below a method without one. */
const ways: Readonly<Record<ResolvedProvider["type"] | `${string} of an app`, Way>> = {
  oauth: { method: "oauth", signIn: (browser) => browser.signIn("oauth"), amr: "fed otp" },
  oidc: { method: "oauth", signIn: (browser) => browser.signIn("oidc"), amr: "fed otp" },
  email: {
    method: "email",
    async signIn(browser, { host }) {
      await browser.signIn("email", { email: address })
      await browser.open(host.mailbox.lastLink())
    },
    amr: "email otp",
  },
  "the code in a mail of an app": {
    method: "email",
    async signIn(browser, { host }) {
      await browser.signIn("email", { email: address })
      await post(browser, "/auth/callback/email", { code: host.mailbox.lastCode() })
    },
    amr: "email otp",
  },
  credentials: {
    method: "credentials",
    signIn: (browser) => browser.signIn("cred", { name: address }),
    amr: "pwd otp",
  },
  webauthn: {
    method: "webauthn",
    prepare: (browser) => passkeyClient({ browser, device }).register(),
    // Without a fingerprint or a PIN, a passkey is one factor.
    signIn: (browser) => passkeyClient({ browser, device }).signIn({ flags: { uv: false } }),
    amr: "swk otp",
  },
  "a method of an app": {
    method: "(an app's own)",
    async signIn(browser, { host, adapter }) {
      const secret = String(host.config.secret)
      const token = await macHex(secret, "card number", JSON.stringify(["card", "4000123412341234"]))
      await adapter.createVerificationToken({ identifier: address, token, expires: new Date(Date.now() + 60_000) })
      await post(browser, "/auth/callback/card", { email: address, number: "4000123412341234" })
    },
    amr: "otp otp",
  },
}

/** The methods and features with ways in that have tests of their own for the second factor. */
const testedElsewhere = {
  password: "./second-factor-passwords.test.ts",
  "native-apps": "../native-apps/native-consent.test.ts",
  moving: "../../../import/test/limits.test.ts",
}

/** The features that lead to no session, and those that are about the second factor themselves. */
const withoutWays: readonly string[] = [
  "access-tokens",
  "account-area",
  "doctor",
  "languages",
  "passwords",
  "provider-logout",
  "second-factors",
  "tracked-sessions",
]

const sources = new URL("../../src/", import.meta.url)

function listFolders(path: string): readonly string[] {
  const entries = readdirSync(new URL(path, sources), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

describe("the ways to sign in", () => {
  it("FAC-01: are all in the table of this test", () => {
    const tested = [...Object.values(ways).map(({ method }) => method), ...Object.keys(testedElsewhere)]
    expect(listFolders("methods").filter((name) => !tested.includes(name))).toEqual([])
    // A feature that is new here: does it lead to a session? If so, a test proves that the second factor is asked for first.
    expect(listFolders("features").filter((name) => !tested.includes(name) && !withoutWays.includes(name))).toEqual([])
    for (const [name, file] of Object.entries(testedElsewhere)) {
      const test = readFileSync(new URL(file, import.meta.url), "utf8")
      expect(test, name).toMatch(/secondFactors|second-factor/)
    }
  })

  it("FAC-01: start sessions in one place of the source, and those of other libraries in another", () => {
    const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
    const callers = files.filter(
      (file) =>
        /\.tsx?$/.test(file) &&
        !file.includes(".test.") &&
        /sessions\.start\(/.test(readFileSync(new URL(file, sources), "utf8")),
    )
    expect(callers.toSorted()).toEqual(["features/moving/lead.ts", "features/sign-in.ts"])
  })
})

describe.each(strategies)("with %s sessions", (strategy) => {
  it.each(Object.entries(ways))("FAC-01: a sign-in by %s waits for the second factor", async (_, way) => {
    using clock = fixedClock()
    const hosting = await openFactors({ strategy })
    const { host, adapter, signIn } = hosting
    const owner = await signIn()
    await way.prepare?.(owner, hosting)
    const setup = await begin(owner)
    const app = authenticatorApp(setup.secret)
    expect((await change(owner, "confirm-totp", { ticket: setup.ticket, code: await app.code() })).status).toBe(200)
    clock.advance({ minutes: 1 })
    host.events.clear()

    const browser = host.newBrowser()
    await way.signIn(browser, hosting)
    expect(hasSessionCookie(browser)).toBe(false)
    expect(await browser.session()).toBeNull()
    expect(host.events.of("signIn")).toEqual([])
    const page = await browser.open("/auth/second-factor")
    expect([page.url.pathname, page.find("h1")?.text]).toEqual(["/auth/second-factor", "Enter your code"])

    await browser.submit("form", { code: await app.code() })
    expect((await browser.session())?.user?.email).toBe(address)
    expect(host.events.of("signIn")).toHaveLength(1)
    expect(host.logger.records.at(-1)).toMatchObject({ kind: "sign-in", outcome: "success", userId: "u-ada" })
    const details = await adapter.listSessionsByUserId("u-ada")
    expect(details.map(({ amr }) => amr)).toContain(way.amr)
    expect(host.leaks()).toEqual([])
  })

  it("FAC-01: an account that is added to the session waits for the second factor", async () => {
    using clock = fixedClock()
    const { host, adapter, enroll } = await openFactors({ strategy })
    const { browser, app } = await enroll()
    await adapter.unlinkAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })
    clock.advance({ minutes: 1 })
    const before = browser.cookies.list().filter(({ name }) => name.includes("session-token"))
    const page = await browser.signIn("oidc")
    expect(page.url.pathname).toBe("/auth/second-factor")
    expect(browser.cookies.list().filter(({ name }) => name.includes("session-token"))).toEqual(before)
    await browser.submit("form", { code: await app.code() })
    expect((await browser.session())?.user?.email).toBe(address)
    expect(host.leaks()).toEqual([])
  })

  it("FAC-01: leaves the stored tokens of the account as they are until the second factor is given", async () => {
    using clock = fixedClock()
    const { host, adapter, enroll } = await openFactors({ strategy, accessTokens: accessTokens() })
    await adapter.unlinkAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })
    const { browser: owner, app } = await enroll()
    clock.advance({ minutes: 1 })
    await owner.signIn("oidc")
    await owner.submit("form", { code: await app.code() })
    const getRow = () => adapter.getAccount("ada-1815", "oidc")
    const row = await getRow()
    expect(row?.access_token).toMatch(/^sealed:/)
    clock.advance({ minutes: 1 })
    const browser = host.newBrowser()
    await browser.signIn("oidc")
    expect(await getRow()).toEqual(row)
    await browser.submit("form", { code: await app.code() })
    expect(hasSessionCookie(browser)).toBe(true)
    expect((await getRow())?.expires_at).toBe((row?.expires_at ?? 0) + 60)
  })

  it("FAC-01: sets the cookie of the provider's tokens with the session, not before", async () => {
    using clock = fixedClock()
    const { host, adapter, enroll } = await openFactors({ strategy, accessTokens: accessTokens({ keep: "cookie" }) })
    await adapter.unlinkAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })
    const { browser: owner, app } = await enroll()
    clock.advance({ minutes: 1 })
    await owner.signIn("oidc")
    await owner.submit("form", { code: await app.code() })
    clock.advance({ minutes: 1 })
    const browser = host.newBrowser()
    const hasTokens = () => browser.cookies.names().includes("__Host-authjs.tokens.oidc")
    await browser.signIn("oidc")
    expect([hasSessionCookie(browser), hasTokens()]).toEqual([false, false])
    await browser.submit("form", { code: await app.code() })
    expect([hasSessionCookie(browser), hasTokens()]).toEqual([true, true])
  })

  it("admits a passkey that verified its owner, which is two factors", async () => {
    const { enroll, host } = await openFactors({ strategy })
    const { browser: owner } = await enroll()
    const key = softwareAuthenticator()
    await passkeyClient({ browser: owner, device: key }).register()
    const browser = host.newBrowser()
    await passkeyClient({ browser, device: key }).signIn()
    expect((await browser.session())?.user?.email).toBe(address)
  })

  it("starts the session of a user without a second factor at once", async () => {
    const { signIn } = await openFactors({ strategy })
    expect((await (await signIn()).session())?.user?.email).toBe(address)
  })

  it("FAC-01: gives the session to no request that goes on without the code", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors({ strategy })
    await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const refused = await give(browser, "")
    expect(refused.location).toBe("https://app.test/auth/second-factor?kind=totp&error=SecondFactorWrong")
    await browser.open("/auth/signin")
    expect(await browser.session()).toBeNull()
  })
})

describe("a held sign-in", () => {
  it("FAC-02: ends nowhere with codes of a former setup, once its owner has removed or replaced the factor", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { browser: owner, app, recoveryCodes } = await enroll()
    clock.advance({ minutes: 1 })
    const thief = await signIn()
    const [own] = await listOwn(owner)
    await change(owner, "remove", { id: own?.id ?? "" })
    await give(thief, await app.code())
    await post(thief, "/auth/second-factor/enroll", { ticket: "x", code: await app.code() })
    const { ticket, secret } = await begin(owner)
    await change(owner, "confirm-totp", { ticket, code: await authenticatorApp(secret).code() })
    clock.advance({ minutes: 1 })
    await give(thief, await app.code())
    await give(thief, recoveryCodes[0] ?? "", "recovery")
    expect(hasSessionCookie(thief)).toBe(false)
  })

  async function sendLogoutToken(claims: Readonly<Record<string, string>>, { host }: FactorHost): Promise<void> {
    const form = { logout_token: await host.idp.logoutToken({ claims }) }
    expect((await ask(host, "/auth/backchannel-logout/oidc", { form })).status).toBe(200)
  }

  const ends: Readonly<Record<string, (owner: Browser, hosting: FactorHost) => Promise<unknown>>> = {
    "the app signs the user out everywhere": (_, { host }) => signOutEverywhere(host.config, "u-ada"),
    "the user ends the other sessions": (owner) => post(owner, "/auth/account/sessions", { action: "end-others" }),
    "the user removes a factor": async (owner) => {
      const factors = await listOwn(owner)
      return change(owner, "remove", { id: factors.find(({ kind }) => kind === "recovery")?.id ?? "" })
    },
    "a logout token names the user": (_, hosting) => sendLogoutToken({ sub: "ada-1815" }, hosting),
    "a logout token names a session": (_, hosting) => sendLogoutToken({ sub: "ada-1815", sid: "s-1" }, hosting),
  }

  it.each(strategies.flatMap((strategy) => Object.entries(ends).map(([name, end]) => ({ strategy, name, end }))))(
    "FAC-02: ends when $name ($strategy)",
    async ({ strategy, end }) => {
      using clock = fixedClock()
      const hosting = await openFactors({ strategy, providerLogout: providerLogout({ backchannel: true }) })
      const { host, enroll, signIn } = hosting
      const { browser: owner, app } = await enroll()
      clock.advance({ minutes: 1 })
      const waiting = await signIn()
      const copy = host.newBrowser()
      for (const { name, value } of waiting.cookies.list()) copy.cookies.set(name, value, { path: "/" })
      await end(owner, hosting)
      const shown = await readAnswer(await waiting.fetch("/auth/second-factor"))
      expect(shown.location).toBe("https://app.test/auth/signin?error=SessionRequired")
      for (const browser of [waiting, copy]) {
        expect((await give(browser, await app.code())).location).toBe(
          "https://app.test/auth/signin?error=SessionRequired",
        )
        expect(hasSessionCookie(browser)).toBe(false)
      }
      // A sign-in that begins afterwards goes on, and the code was not spent.
      const later = await signIn()
      await give(later, await app.code())
      expect(await later.session()).not.toBeNull()
      const rows = await hosting.adapter.listFactors("u-ada")
      expect(rows.filter(({ kind }) => kind === "ending")).toHaveLength(1)
    },
  )

  it.each(strategies)("FAC-02: starts no session that outlives the end of all sessions (%s)", async (strategy) => {
    using clock = fixedClock()
    const { host, adapter, enroll, signIn } = await openFactors({ strategy })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const waiting = await signIn()
    const code = await app.code()
    const config = host.config as AuthConfig
    const endSessions: typeof adapter.endSessions = async (selection) => {
      const count = await adapter.endSessions(selection)
      await give(waiting, code)
      return count
    }
    await signOutEverywhere({ ...config, adapter: { ...config.adapter, endSessions } as typeof adapter }, "u-ada")
    expect(hasSessionCookie(waiting)).toBe(false)
  })

  it.each(strategies)("FAC-02: ends its own session if all others end while it begins (%s)", async (strategy) => {
    using clock = fixedClock()
    const { host, adapter, enroll, signIn } = await openFactors({ strategy })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const waiting = await signIn()
    const form = { csrfToken: await waiting.csrfToken(), code: await app.code() }
    const config = host.config as AuthConfig
    const createSessionDetail: typeof adapter.createSessionDetail = async (...details) => {
      await signOutEverywhere(config, "u-ada")
      return adapter.createSessionDetail(...details)
    }
    const slow = { ...config, adapter: { ...config.adapter, createSessionDetail } as typeof adapter }
    const answer = await readAnswer(
      await Auth(requestTo("/auth/second-factor/totp", { form, cookie: cookiesOf(waiting) }), slow),
    )
    expect(answer.location).toBe("https://app.test/auth/signin?error=SessionRequired")
    expect([...answer.cookies.keys()].filter((name) => name.includes("session-token"))).toEqual([])
    expect(await adapter.listSessionsByUserId("u-ada")).toEqual([])
    expect(host.events.of("signIn")).toHaveLength(1)
  })

  it("FAC-02: ends when another one uses a recovery code, which goes on itself", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { app, recoveryCodes } = await enroll()
    clock.advance({ minutes: 1 })
    const thief = await signIn()
    const owner = await signIn()
    await give(owner, recoveryCodes[0] ?? "", "recovery")
    expect(await owner.session()).not.toBeNull()
    await give(thief, await app.code())
    expect(hasSessionCookie(thief)).toBe(false)
  })

  it("FAC-02: sets up no factor after the sessions of its user have ended", async () => {
    using _clock = fixedClock()
    const { host, adapter } = await openFactors({ secondFactor: { require: "always" } })
    const thief = host.newBrowser()
    const page = await thief.signIn("cred", { name: address })
    await signOutEverywhere(host.config, "u-ada")
    await thief.submit("form", { code: await authenticatorApp(page.find("code")?.text ?? "").code() })
    expect(hasSessionCookie(thief)).toBe(false)
    expect((await adapter.listFactors("u-ada")).map(({ kind }) => kind)).toEqual(["ending"])
  })

  it("FAC-02: is not found under a name that a neighboring site can plant, nor taken for a session or a proof", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn } = await openFactors()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const held = (await signIn()).cookies.get("__Host-authjs.held") ?? ""
    const browser = host.newBrowser()
    for (const name of ["authjs.held", "__Secure-authjs.held", "__Secure-authjs.session-token", "__Host-authjs.proof"])
      browser.cookies.set(name, held, { path: "/" })
    expect((await give(browser, await app.code())).location).toBe("https://app.test/auth/signin?error=SessionRequired")
    expect(await browser.session()).toBeNull()
  })

  it("FAC-03: starts one session with one code, at processes whose adapter has no consumeOnce", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn } = await openFactors({ lacks: ["keepTemporary", "takeTemporary", "consumeOnce"] })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const form = { csrfToken: await browser.csrfToken(), code: await app.code() }
    const submit = async () => {
      const request = requestTo("/auth/second-factor/totp", { form, cookie: cookiesOf(browser) })
      return readAnswer(await Auth(request, { ...(host.config as AuthConfig) }))
    }
    const answers = await Promise.all([submit(), submit(), submit()])
    const names = answers.flatMap(({ cookies }) => [...cookies.keys()])
    expect(names.filter((name) => name.includes("session-token"))).toHaveLength(1)
  })
})
