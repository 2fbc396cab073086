import { randomBytes } from "node:crypto"
import { Auth } from "@latchkey/core"
import { type Browser, fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  begin,
  consent,
  exchange,
  type Flow,
  iosUri,
  openConsent,
  openNative,
  openUntracked,
  read,
  signInApp,
  userOf,
} from "../setup/native-setup.js"
import { ask, readAnswer, requestTo } from "../setup/requests.js"
import { cookiesOf, type Strategy, strategies, type TrackedHost } from "../setup/tracked-setup.js"

const sessionName = "__Secure-authjs.session-token"
const invalidGrant = { error: "invalid_grant" }

async function openWithCode(strategy: Strategy = "jwt", changes: Parameters<typeof openNative>[1] = {}, tracking = {}) {
  const native = openNative(strategy, changes, tracking)
  const browser = await native.signIn("ada")
  const flow = begin()
  const { code = "" } = read(await consent(browser, flow))
  return { native, browser, flow, code }
}

describe("the code of a native app", () => {
  it.each([
    ["no verifier", { code_verifier: null }],
    ["a wrong verifier", { code_verifier: randomBytes(32).toString("base64url") }],
    ["a verifier that is too short", { code_verifier: "a".repeat(42) }],
    ["an empty verifier", { code_verifier: "" }],
    ["the client ID of another app", { client_id: "desktop" }],
    ["another address", { redirect_uri: "com.example.app:/other" }],
    ["no address", { redirect_uri: null }],
  ])("NAT-04: is refused with %s, and is spent", async (_, changes) => {
    const { native, flow, code } = await openWithCode()
    const refused = await exchange(native, flow, code, changes)
    expect([refused.status, refused.json()]).toEqual([400, invalidGrant])
    expect((await exchange(native, flow, code)).json()).toEqual(invalidGrant)
  })

  it("NAT-04: is refused with its challenge in place of the verifier", async () => {
    const { native, flow, code } = await openWithCode()
    const challenge = new URL(flow.path, "https://app.test").searchParams.get("code_challenge")
    expect((await exchange(native, flow, code, { code_verifier: challenge })).json()).toEqual(invalidGrant)
  })

  it.each(["", "x", "a".repeat(43), `${"a".repeat(43)}\0`, "../x", "%00"])(
    "NAT-04: cannot be made up: %j",
    async (code) => {
      const native = openNative()
      expect((await exchange(native, begin(), code)).json()).toEqual(invalidGrant)
    },
  )

  it.each([
    [{ grant_type: null }, "unsupported_grant_type"],
    [{ grant_type: "refresh_token" }, "unsupported_grant_type"],
    [{ grant_type: "password" }, "unsupported_grant_type"],
    [{ client_id: "unknown" }, "invalid_client"],
    [{ client_id: "__proto__" }, "invalid_client"],
  ])("NAT-04: is not looked at with %j", async (changes, error) => {
    const { native, flow, code } = await openWithCode()
    expect((await exchange(native, flow, code, changes)).json()).toEqual({ error })
    expect((await exchange(native, flow, code)).status).toBe(200)
  })

  it.each(strategies)("NAT-05: works once (%s)", async (strategy) => {
    const { native, flow, code } = await openWithCode(strategy)
    expect((await exchange(native, flow, code)).status).toBe(200)
    expect((await exchange(native, flow, code)).json()).toEqual(invalidGrant)
  })

  it.each(strategies)("NAT-05: works once in several processes (%s)", async (strategy) => {
    const { native, flow, code } = await openWithCode(strategy)
    const processes = [1, 2, 3].map(() => newProcess(native))
    const tries = [...processes, ...processes].map((send) => send(flow, code))
    const answers = await Promise.all(tries)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
  })

  it("NAT-06: is worth nothing in the flow of another app or user, into which it is injected", async () => {
    const { native, code } = await openWithCode()
    expect((await exchange(native, begin(), code)).json()).toEqual(invalidGrant)
  })

  it("NAT-07: ends after a minute", async () => {
    using clock = fixedClock()
    const { native, flow, code } = await openWithCode()
    clock.advance({ seconds: 61 })
    expect((await exchange(native, flow, code)).json()).toEqual(invalidGrant)
  })

  it("NAT-07: is stored as a hash, and what it stands for is sealed", async () => {
    const kept: { id: string; value: string }[] = []
    const { native, code } = await openWithCode("database", {
      adapter: { keepTemporary: (record: (typeof kept)[number]) => kept.push(record) },
    })
    const [record] = kept
    expect([kept.length, record?.id.includes(code), record?.value.includes(code)]).toEqual([1, false, false])
    const [session] = await native.adapter.listSessionsByUserId(await native.idOf("ada"))
    expect(record?.value).not.toContain(session?.sessionToken)
  })

  it.each(strategies)("NAT-08: gives nothing after the session of the browser has ended (%s)", async (strategy) => {
    const { native, browser, flow, code } = await openWithCode(strategy)
    await browser.signOut()
    expect((await exchange(native, flow, code)).json()).toEqual(invalidGrant)
  })

  it.each(strategies)("NAT-08: gives nothing after a sign-out everywhere a moment ago (%s)", async (strategy) => {
    const { native, flow, code } = await openWithCode(strategy, {}, { checkEvery: 3600 })
    await native.adapter.endSessions({ userId: await native.idOf("ada") })
    expect((await exchange(native, flow, code)).json()).toEqual(invalidGrant)
    expect(await native.adapter.listSessionsByUserId(await native.idOf("ada"))).toEqual([])
  })

  it.each(strategies)(
    "NAT-08: gives nothing that outlives a sign-out everywhere during the exchange (%s)",
    async (strategy) => {
      const native: TrackedHost = openNative(strategy, {
        adapter: {
          async createSessionDetail(detail, options) {
            const isCopy = detail.label !== null
            if (isCopy) await native.adapter.endSessions({ userId: detail.userId })
            return native.adapter.createSessionDetail(detail, options)
          },
        },
      })
      const browser = await native.signIn("ada")
      const flow = begin()
      const { code } = read(await consent(browser, flow))
      expect((await exchange(native, flow, code)).json()).toEqual(invalidGrant)
      expect(await native.adapter.listSessionsByUserId(await native.idOf("ada"))).toEqual([])
    },
  )

  it.each(strategies)(
    "NAT-08: gives the session of the user who was asked, whatever cookies are planted (%s)",
    async (strategy) => {
      const native = openUntracked(strategy)
      const browser = await native.signIn("ada")
      const flow = begin()
      const code = await answerWith(native, browser, flow, `${sessionName}.0=planted; ${sessionName}=planted`)
      const { access_token: token = "" } = (await exchange(native, flow, code)).json() as { access_token?: string }
      expect(await userOf(native, token)).toBe("ada@corp.test")
    },
  )

  it("NAT-08: gives the session of no other user, whose cookie is beside the one that ended", async () => {
    const native = openUntracked("database")
    const browser = await native.signIn("ada")
    const eve = await native.signIn("eve")
    const flow = begin()
    const code = await answerWith(native, browser, flow, `${sessionName}.0=${eve.cookies.get(sessionName)}`)
    await browser.signOut()
    expect((await exchange(native, flow, code)).json()).toEqual(invalidGrant)
  })

  it.each(strategies)("NAT-08: gives no session that is younger than the sign-in (%s)", async (strategy) => {
    using clock = fixedClock()
    const native = openNative(strategy, { session: { absoluteMaxAge: 3600 } })
    const browser = await native.signIn("ada")
    clock.advance({ minutes: 9 })
    const token = await signInApp(native, browser)
    clock.advance({ minutes: 50 })
    expect(await userOf(native, token)).toBe("ada@corp.test")
    clock.advance({ minutes: 2 })
    expect(await userOf(native, token)).toBeNull()
  })

  it.each(strategies)("NAT-08: gives no session above the limit of a user (%s)", async (strategy) => {
    const { native, flow, code } = await openWithCode(strategy, {}, { maxPerUser: { count: 1, over: "refuse" } })
    expect((await exchange(native, flow, code)).json()).toEqual({ error: "access_denied" })
  })

  it("NAT-08: leaves no record of a session whose token is too large", async () => {
    let length = 0
    const native = openNative("jwt", {
      callbacks: { jwt: ({ token }) => ({ ...token, filler: "x".repeat(length) }) },
    })
    const browser = await native.signIn("ada")
    const flow = begin()
    const { code } = read(await consent(browser, flow))
    length = 7000
    expect((await exchange(native, flow, code)).status).toBe(500)
    expect(await native.adapter.listSessionsByUserId(await native.idOf("ada"))).toHaveLength(1)
  })

  it("NAT-09: can be tried as often as a network may call back, and no more", async () => {
    const native = openNative("jwt", { rateLimit: { budgets: { callback: { limit: 3, windowSeconds: 60 } } } })
    const address = { clientAddress: "192.0.2.7" }
    const send = async () => {
      const form = { grant_type: "authorization_code", client_id: "ios", redirect_uri: iosUri, code: "a".repeat(43) }
      const config = native.host.config
      return readAnswer(await Auth(requestTo("/auth/native/token", { form }), config, address))
    }
    const statuses: number[] = []
    for (let n = 0; n < 4; n++) statuses.push((await send()).status)
    expect(statuses).toEqual([400, 400, 400, 429])
  })

  it.each(strategies)(
    "NAT-10: leaves a record of each app that it signs in, and of each refusal (%s)",
    async (strategy) => {
      const { native, flow, code } = await openWithCode(strategy)
      const before = native.host.logger.records.length
      await exchange(native, flow, code)
      await exchange(native, flow, code)
      expect(native.host.logger.records.slice(before)).toMatchObject([
        { outcome: "success", kind: "app-sign-in", userId: "u-ada" },
        { outcome: "failure", error: "InvalidCheck" },
      ])
    },
  )

  it("NAT-10: is in no log, and neither are token, verifier and state", async () => {
    const { native, browser, flow, code } = await openWithCode()
    await exchange(native, flow, code)
    await exchange(native, flow, code)
    const token = await signInApp(native, browser)
    await userOf(native, `${token}x`)
    const logged = native.host.logger.texts().join("\n")
    for (const secret of [code, flow.verifier, flow.state, token]) expect(logged).not.toContain(secret)
  })
})

/** Answers the page that asks, with planted cookies before those of the browser. Returns the code. */
async function answerWith(
  native: TrackedHost,
  browser: Browser,
  flow: Flow,
  planted: string,
): Promise<string | undefined> {
  const { fields } = (await openConsent(browser, flow)).form()
  const cookie = `${planted}; ${cookiesOf(browser)}`
  const { location } = await ask(native.host, "/auth/native", { cookie, form: fields })
  return new URL(location ?? "").searchParams.get("code") ?? undefined
}

/** Another process: it shares nothing but the store and the configuration. */
function newProcess({ host }: TrackedHost) {
  const config = { ...host.config }
  return async ({ clientId, redirectUri, verifier }: ReturnType<typeof begin>, code: string) => {
    const grant = { grant_type: "authorization_code", client_id: clientId, redirect_uri: redirectUri }
    const form = { ...grant, code, code_verifier: verifier }
    return readAnswer(await Auth(requestTo("/auth/native/token", { form }), config))
  }
}
