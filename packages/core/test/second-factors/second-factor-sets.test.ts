import { Auth } from "@latchkey/core"
import { accountArea } from "@latchkey/core/account-area"
import type { JWT } from "@latchkey/core/jwt"
import { passkeyFactor, recoveryCodes, totp } from "@latchkey/core/second-factors"
import { signOutEverywhere } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { authenticatorApp, type Browser, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { post, readAnswer, requestTo } from "../setup/requests.js"
import {
  begin,
  change,
  type FactorHost,
  give,
  hasSessionCookie,
  listOwn,
  openFactors,
  type Setup,
} from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const codesOf = ({ json }: { json(): unknown }) => (json() as { recoveryCodes: readonly string[] | null }).recoveryCodes
const setsOf = async ({ adapter }: Pick<FactorHost, "adapter">) =>
  (await adapter.listFactors("u-ada")).filter(({ kind }) => kind === "recovery")

type Methods = Partial<MemoryAdapter>

/** Sends a form at a process whose adapter has some other methods. */
async function sendAt({ host }: FactorHost, browser: Browser, { form, ...methods }: Sent) {
  const config = host.config as AuthConfig
  const adapter = { ...config.adapter, ...methods } as MemoryAdapter
  const { path = "/auth/account/factors", ...fields } = form
  const request = requestTo(path, {
    form: { csrfToken: await browser.csrfToken(), ...fields },
    cookie: cookiesOf(browser),
    headers: { accept: "application/json" },
  })
  return readAnswer(await Auth(request, { ...config, adapter }))
}

interface Sent extends Methods {
  readonly form: Readonly<Record<string, string>>
}

const action = "create-recovery-codes"

const createAtOnce = (hosting: FactorHost, browser: Browser, methods: readonly Methods[]) =>
  Promise.all(methods.map((each) => sendAt(hosting, browser, { form: { action }, ...each })))

describe("recovery codes that are created at once", () => {
  it("FAC-12: are one set, whose request alone succeeds", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const { browser, recoveryCodes: former } = await hosting.enroll()
    const answers = await createAtOnce(
      hosting,
      browser,
      Array.from({ length: 20 }, () => ({})),
    )
    const shown = answers.filter(({ status }) => status === 200)
    expect([shown.length, (await setsOf(hosting)).length]).toEqual([1, 1])
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused?.status).toBe(429)
    expect(refused?.json()).toMatchObject({ error: "TooManyRequests" })
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0)
    clock.advance({ minutes: 1 })
    const later = await hosting.signIn()
    await give(later, former[0] ?? "", "recovery")
    expect(hasSessionCookie(later)).toBe(false)
    await give(later, (shown[0] && codesOf(shown[0])?.[0]) ?? "", "recovery")
    expect(hasSessionCookie(later)).toBe(true)
  })

  it("FAC-12: are one set at processes that know nothing of each other, and it is one that was shown", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const { browser } = await hosting.enroll()
    const consumeOnce = async () => true
    const answers = await createAtOnce(
      hosting,
      browser,
      Array.from({ length: 8 }, () => ({ consumeOnce })),
    )
    expect(await setsOf(hosting)).toHaveLength(1)
    const shown = answers.flatMap((answer) => (answer.status === 200 ? [codesOf(answer)?.[0] ?? ""] : []))
    expect(shown.length).toBeGreaterThan(0)
    clock.advance({ minutes: 1 })
    const results = []
    for (const code of shown) {
      const later = await hosting.signIn()
      await give(later, code, "recovery")
      results.push(hasSessionCookie(later))
    }
    expect(results.filter(Boolean)).toHaveLength(1)
  })

  it("FAC-12: are one set for two apps that are set up at once", async () => {
    using _clock = fixedClock()
    const hosting = await openFactors()
    const browser = await hosting.signIn()
    const setups = [await begin(browser), await begin(browser)]
    const answers = await Promise.all(
      setups.map(async (setup) => sendAt(hosting, browser, { form: await toForm(setup) })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers.some((answer) => codesOf(answer) !== null)).toBe(true)
    expect(await setsOf(hosting)).toHaveLength(1)
  })

  it("stay when the user removes the app that they were set up with, and keeps another", async () => {
    using clock = fixedClock()
    const { enroll } = await openFactors()
    const { browser } = await enroll()
    clock.advance({ minutes: 1 })
    const { id = "" } = (await listOwn(browser))[0] ?? {}
    const { action: name, ...fields } = await toForm(await begin(browser))
    expect(codesOf(await change(browser, name, fields))).toBeNull()
    expect((await change(browser, "remove", { id })).status).toBe(200)
    expect((await listOwn(browser)).map(({ kind, codesLeft }) => [kind, codesLeft])).toEqual([
      ["totp", null],
      ["recovery", 10],
    ])
  })

  it("FAC-12: can be created once a minute, and a page says so", async () => {
    using clock = fixedClock()
    const hosting = await openFactors({ accountArea: accountArea() })
    const browser = await hosting.signIn()
    const path = "/auth/account/factors"
    const send = (fields: Readonly<Record<string, string>>, accept: string) =>
      post(browser, path, fields, { headers: { accept } })
    const setup = await send({ action: "begin-totp" }, "application/json")
    await send(await toForm(setup.json() as Setup), "application/json")
    const create = () => send({ action }, "text/html")
    expect((await create()).location).toBe("https://app.test/auth/second-factor/codes")
    expect((await browser.open("/auth/second-factor/codes")).find("h1")?.text).toBe("Save your recovery codes")
    const refused = await create()
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^[1-9]\d?$/)])
    clock.advance({ minutes: 1 })
    expect((await create()).status).toBe(302)
    expect(await setsOf(hosting)).toHaveLength(1)
  })
})

const toForm = async ({ ticket, secret }: Pick<Setup, "ticket" | "secret">) => ({
  action: "confirm-totp",
  ticket,
  code: await authenticatorApp(secret).code(),
})

const down = async () => Promise.reject(new Error("down"))

/** Fails where a row of a kind would be stored. */
function failAt(kind: string, { adapter }: FactorHost): Methods {
  return { createFactor: (factor) => (factor.kind === kind ? down() : adapter.createFactor(factor)) }
}

describe("recovery codes of a setup that fails", () => {
  it.each([
    ["at the codes", (hosting: FactorHost) => failAt("recovery", hosting)],
    ["at the app", (hosting: FactorHost) => failAt("totp", hosting)],
    ["and whose process ends there", (hosting: FactorHost) => ({ ...failAt("totp", hosting), deleteFactor: down })],
  ])("FAC-12: do not count %s, and the next setup shows codes", async (_, fail) => {
    using clock = fixedClock()
    const factors = [totp(), passkeyFactor(), recoveryCodes()]
    const hosting = await openFactors({ secondFactor: { factors } })
    const browser = await hosting.signIn()
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    const form = await toForm(await begin(browser))
    expect((await sendAt(hosting, browser, { form, ...fail(hosting) })).status).toBe(503)
    expect(await listOwn(browser)).toEqual([])
    // With codes that nobody has seen, the passkey would be the only way in.
    expect(hasSessionCookie(await hosting.signIn())).toBe(true)
    const answer = await sendAt(hosting, browser, { form: await toForm(await begin(browser)) })
    expect(codesOf(answer)).toHaveLength(10)
    expect(await setsOf(hosting)).toHaveLength(1)
    clock.advance({ minutes: 1 })
    const later = await hosting.signIn()
    await give(later, codesOf(answer)?.[9] ?? "", "recovery")
    expect(hasSessionCookie(later)).toBe(true)
  })

  it.each([{}, { deleteFactor: down }])(
    "FAC-12: do not count before the first session either (%o)",
    async (methods) => {
      using _clock = fixedClock()
      const hosting = await openFactors({ secondFactor: { require: "always" } })
      const browser = await hosting.signIn()
      const path = "/auth/second-factor/enroll"
      const sendHere = async (methodsHere: Methods) => {
        const { fields } = (await browser.open("/auth/second-factor")).form()
        const { ticket = "" } = fields
        const secret = browser.page?.find("code")?.text ?? ""
        return sendAt(hosting, browser, { form: { path, ...(await toForm({ ticket, secret })) }, ...methodsHere })
      }
      expect((await sendHere({ ...failAt("totp", hosting), ...methods })).status).toBe(503)
      expect(codesOf(await sendHere({}))).toHaveLength(10)
      expect(await setsOf(hosting)).toHaveLength(1)
    },
  )

  it("FAC-12: are forgotten if the session does not start, since the page that shows them does not come", async () => {
    using _clock = fixedClock()
    let isDown = true
    const jwt = ({ token }: { token: JWT }) => {
      if (isDown) throw new Error("down")
      return token
    }
    const hosting = await openFactors({ secondFactor: { require: "always" }, callbacks: { jwt } })
    const browser = await hosting.signIn()
    await browser.submit("form", { code: await authenticatorApp(browser.page?.find("code")?.text ?? "").code() })
    isDown = false
    expect([hasSessionCookie(browser), await hosting.adapter.listFactors("u-ada")]).toEqual([false, []])
    expect(hosting.host.events.of("factorRemoved")).toEqual([{ userId: "u-ada", kind: "totp" }])
  })

  it("FAC-13: are forgotten with the app if all sessions end while the sign-in waits for the setup", async () => {
    using _clock = fixedClock()
    const hosting = await openFactors({ secondFactor: { require: "always" } })
    const browser = await hosting.signIn()
    const { fields } = (await browser.open("/auth/second-factor")).form()
    const secret = browser.page?.find("code")?.text ?? ""
    const form = { path: "/auth/second-factor/enroll", ...(await toForm({ ticket: fields["ticket"] ?? "", secret })) }
    const { createFactor } = hosting.adapter
    const answer = await sendAt(hosting, browser, {
      form,
      async createFactor(factor) {
        const stored = await createFactor(factor)
        if (factor.kind === "totp") await signOutEverywhere(hosting.host.config as AuthConfig, "u-ada")
        return stored
      },
    })
    expect([answer.status, answer.json()]).toMatchObject([401, { error: "HeldExpired" }])
    expect((await hosting.adapter.listFactors("u-ada")).map(({ kind }) => kind)).not.toContain("totp")
    expect(await setsOf(hosting)).toEqual([])
    // The next setup is the first one.
    const again = await hosting.signIn()
    await again.submit("form", { code: await authenticatorApp(again.page?.find("code")?.text ?? "").code() })
    expect(hasSessionCookie(again)).toBe(true)
    expect(await setsOf(hosting)).toHaveLength(1)
  })
})

describe("a session that ends while its user changes factors", () => {
  /** Ends the session when a row of a kind is stored. */
  const endAt = (kind: string, { adapter, host }: FactorHost): Methods => ({
    async createFactor(factor) {
      const stored = await adapter.createFactor(factor)
      if (factor.kind === kind) await signOutEverywhere(host.config as AuthConfig, "u-ada")
      return stored
    },
  })

  it.each(["jwt", "database"] as const)("FAC-13: leaves no app and no codes behind (%s)", async (strategy) => {
    using _clock = fixedClock()
    const hosting = await openFactors({ strategy })
    const browser = await hosting.signIn()
    const form = await toForm(await begin(browser))
    const answer = await sendAt(hosting, browser, { form, ...endAt("totp", hosting) })
    expect(answer.status).toBe(401)
    expect((await hosting.adapter.listFactors("u-ada")).map(({ kind }) => kind)).toEqual(["ending"])
  })

  it("FAC-13: keeps the former recovery codes, and shows none", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const { browser, recoveryCodes: former } = await hosting.enroll()
    const answer = await sendAt(hosting, browser, { form: { action }, ...endAt("recovery", hosting) })
    expect([answer.status, answer.text]).toEqual([401, expect.not.stringContaining("recoveryCodes")])
    clock.advance({ minutes: 1 })
    const later = await hosting.signIn()
    await give(later, former[0] ?? "", "recovery")
    expect(hasSessionCookie(later)).toBe(true)
  })

  it("FAC-13: shows the codes of an app that was set up although the store fails then, or sets up neither", async () => {
    using _clock = fixedClock()
    const findSessions = ["listSessionsByUserId"] as const
    for (let call = 1; call <= 6; call++) {
      const hosting = await openFactors()
      const browser = await hosting.signIn()
      const form = await toForm(await begin(browser))
      let calls = 0
      const methods = Object.fromEntries(
        findSessions.map((name) => [
          name,
          (userId: string) => (++calls === call ? down() : hosting.adapter[name](userId)),
        ]),
      )
      const answer = await sendAt(hosting, browser, { form, ...methods })
      const isShown = answer.status === 200 && codesOf(answer)?.length === 10
      const kinds = (await hosting.adapter.listFactors("u-ada")).map(({ kind }) => kind).sort()
      expect(kinds, `call ${call}`).toEqual(isShown ? ["recovery", "totp"] : [])
    }
  })
})
