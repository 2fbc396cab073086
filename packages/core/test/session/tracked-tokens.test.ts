import { decode, type JWT, type JWTDecodeParams, type JWTEncodeParams } from "@latchkey/core/jwt"
import { signOutEverywhere, trackSessions } from "@latchkey/core/sessions"
import type { CallbacksOptions } from "@latchkey/core/types"
import { type Browser, fixedClock } from "@latchkey/testkit"
import type { AdapterCall } from "@latchkey/testkit/adapter"
import { compactDecrypt } from "jose"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openPasskeys } from "../setup/passkey-setup.js"
import { deriveKey, sealByJose } from "../setup/sealed-by-jose.js"
import { cookiesOf, openTracked, readSession, type TrackedHost } from "../setup/tracked-setup.js"

type JwtParams = Parameters<CallbacksOptions["jwt"]>[0]

const cookieName = "__Host-authjs.session-token"
const tokenName = "__Secure-authjs.session-token"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

const countLookups = (calls: readonly AdapterCall[]) => calls.filter(({ method }) => method === "seeSession").length

const tokenOf = (browser: Browser) => browser.cookies.get(tokenName) ?? browser.cookies.get(cookieName) ?? ""

async function claimsOf(browser: Browser, { host }: TrackedHost) {
  return decode({ token: tokenOf(browser), secret: host.config.secret ?? "", salt: tokenName })
}

/** The claims as the token has them. */
async function unseal(token: string, secret: string): Promise<JWT> {
  const { plaintext } = await compactDecrypt(token, await deriveKey(secret, tokenName, 64))
  return JSON.parse(new TextDecoder().decode(plaintext))
}

describe("the lookup of a tracked token", () => {
  it("asks the store once in checkEvery, however often the session is checked", async () => {
    const tracked = openTracked("jwt", { checkEvery: 60 })
    const browser = await tracked.signIn("vera")
    for (let n = 0; n < 59; n++) {
      clock.advance({ seconds: 1 })
      expect(await browser.session()).not.toBeNull()
    }
    expect(countLookups(tracked.adapter.calls)).toBe(0)
    clock.advance({ seconds: 1 })
    for (let n = 0; n < 10; n++) expect(await browser.session()).not.toBeNull()
    expect(countLookups(tracked.adapter.calls)).toBe(1)
  })

  it("passes on in the cookie when the store was asked, so that no other process asks it again", async () => {
    const tracked = openTracked("jwt", { checkEvery: 60 })
    const browser = await tracked.signIn("vera")
    clock.advance({ seconds: 60 })
    await browser.session()
    const other = tracked.newProcess()
    clock.advance({ seconds: 59 })
    expect((await other("/auth/session", cookiesOf(browser))).text).not.toBe("null")
    expect(countLookups(tracked.adapter.calls)).toBe(1)
  })

  it("asks the store once in checkEvery for each process where cookies cannot be written", async () => {
    const tracked = openTracked("jwt", { checkEvery: 60 })
    const cookie = cookiesOf(await tracked.signIn("vera"))
    clock.advance({ seconds: 60 })
    for (let n = 0; n < 10; n++) expect(await readSession(tracked, cookie)).not.toBe("null")
    expect(countLookups(tracked.adapter.calls)).toBe(1)
    clock.advance({ seconds: 60 })
    expect(await readSession(tracked, cookie)).not.toBe("null")
    expect(countLookups(tracked.adapter.calls)).toBe(2)
  })

  it("asks the store at each check with checkEvery: 0", async () => {
    const tracked = openTracked("jwt", { checkEvery: 0 })
    const browser = await tracked.signIn("vera")
    const stolen = cookiesOf(browser)
    for (let n = 0; n < 3; n++) await browser.session()
    expect(countLookups(tracked.adapter.calls)).toBe(3)
    await signOutEverywhere(tracked.host.config, await tracked.idOf("vera"))
    expect(await readSession(tracked, stolen)).toBe("null")
  })

  it("SESS-01: refuses an ended session at the second that checkEvery is over, and not a second later", async () => {
    const tracked = openTracked("jwt", { checkEvery: 60 })
    const browser = await tracked.signIn("vera")
    clock.advance({ seconds: 10 })
    await browser.session()
    const stolen = cookiesOf(browser)
    await signOutEverywhere(tracked.host.config, await tracked.idOf("vera"))
    clock.advance({ seconds: 49 })
    expect(await readSession(tracked, stolen)).not.toBe("null")
    clock.advance({ seconds: 1 })
    expect(await readSession(tracked, stolen)).toBe("null")
  })

  it("SESS-01: asks the store when the token was looked up in the future, since the clock was set back", async () => {
    const tracked = openTracked("jwt", { checkEvery: 60 })
    const stolen = cookiesOf(await tracked.signIn("vera"))
    await signOutEverywhere(tracked.host.config, await tracked.idOf("vera"))
    clock.advance({ seconds: -5 })
    expect(await readSession(tracked, stolen)).toBe("null")
  })

  it("SESS-01, WAN-18: offers no options to register a passkey in an ended session", async () => {
    const { host, adapter, visitor } = openPasskeys({ session: { strategy: "jwt", track: trackSessions() } })
    const thief = visitor()
    await thief.signInByPassword()
    expect((await thief.ask({ action: "register" })).status).toBe(200)
    expect(await signOutEverywhere(host.config, "u-v")).toBe(1)
    clock.advance({ seconds: 60 })
    expect((await thief.ask({ action: "register" })).status).toBe(400)
    expect(await adapter.listAuthenticatorsByUserId("u-v")).toEqual([])
  })

  it("SESS-01, WAN-18: registers no passkey in an ended session with options from before", async () => {
    const { host, adapter, visitor } = openPasskeys({ session: { strategy: "jwt", track: trackSessions() } })
    const thief = visitor()
    await thief.signInByPassword()
    const created = await thief.device.create(await thief.creation())
    expect(await signOutEverywhere(host.config, "u-v")).toBe(1)
    clock.advance({ seconds: 60 })
    expect((await thief.finish("register", created)).location).toContain("error=AccountNotLinked")
    expect(await adapter.listAuthenticatorsByUserId("u-v")).toEqual([])
  })
})

describe("the claims of a tracked token", () => {
  it("keep the time of the sign-in when an account is added, where the adapter returns text for dates", async () => {
    const tracked: TrackedHost = openTracked(
      "jwt",
      {},
      {
        adapter: {
          async listSessionsByUserId(userId) {
            const rows = await tracked.adapter.listSessionsByUserId(userId)
            return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() as never })) // as: a driver's value
          },
        },
      },
    )
    const browser = await tracked.signIn("vera")
    const { auth_time: start } = (await claimsOf(browser, tracked)) ?? {}
    clock.advance({ seconds: 30 })
    await browser.signIn("oidc")
    const claims = await claimsOf(browser, tracked)
    expect(await tracked.adapter.listAccountsByUserId("u-vera")).toHaveLength(1)
    expect(claims?.["auth_time"]).toBe(start)
    expect(await tracked.adapter.listSessionsByUserId("u-vera")).toMatchObject([{ createdAt: expect.any(Date) }])
  })

  it("SESS-08: are put back when the jwt callback drops them or copies those of another session", async () => {
    let foreign: object = {}
    let isCopying = false
    const jwt = ({ token }: { token: Record<string, unknown> }) => {
      if (isCopying) return { ...token, ...foreign }
      return { sub: String(token["sub"]), name: "kept" }
    }
    const tracked = openTracked("jwt", {}, { callbacks: { jwt } })
    const [vera, walt] = [await tracked.signIn("vera"), await tracked.signIn("walt")]
    const own = await claimsOf(vera, tracked)
    expect(own).toMatchObject({
      sid: expect.stringMatching(/^[\w-]{22}$/),
      chk: clock.now() / 1000,
      auth_time: clock.now() / 1000,
      amr: ["pwd"],
      name: "kept",
    })
    const { sid, chk, auth_time, amr, sub } = (await claimsOf(walt, tracked)) ?? {}
    foreign = { sid, chk, auth_time, amr, sub, sid_sub: sub }
    isCopying = true
    clock.advance({ seconds: 30 })
    await vera.session()
    const copied = await claimsOf(vera, tracked)
    expect([copied?.["sid"], copied?.["chk"], copied?.["auth_time"]]).toEqual([
      own?.["sid"],
      own?.["chk"],
      own?.["chk"],
    ])
    await signOutEverywhere(tracked.host.config, await tracked.idOf("vera"))
    clock.advance({ seconds: 60 })
    expect([await vera.session(), (await walt.session())?.user?.name]).toEqual([null, "kept"])
  })

  it("are shown to callbacks as they are decoded, in tokens that are no longer than untracked ones", async () => {
    const shown: JWT[] = []
    const callbacks = {
      jwt: ({ token, user }: JwtParams) => {
        if (!user) shown.push({ ...token })
        return token
      },
    }
    const lengths: number[] = []
    for (const tracking of [null, {}]) {
      const tracked = openTracked("jwt", tracking, { callbacks })
      const browser = await tracked.signIn("vera")
      const claims = await claimsOf(browser, tracked)
      await browser.session()
      expect(shown.at(-1)).toEqual(claims)
      expect(claims).toMatchObject({ jti: expect.stringMatching(/^[\w-]{22,}$/) })
      expect((await claimsOf(browser, tracked))?.jti).not.toBe(claims?.jti)
      lengths.push(tokenOf(browser).length)
    }
    expect(lengths[1]).toBeLessThanOrEqual(lengths[0] ?? 0)
  })

  it("keep their session when they come in the long form, or another library has encrypted them anew", async () => {
    const tracked = openTracked("jwt")
    const browser = await tracked.signIn("vera")
    const { host } = tracked
    const secret = String(host.config.secret)
    const claims = await claimsOf(browser, tracked)
    const short = await unseal(tokenOf(browser), secret)
    expect(short).not.toHaveProperty("sid")
    const id = crypto.randomUUID()
    for (const other of [claims, short]) {
      const token = await sealByJose({ ...other, jti: id }, { from: secret, salt: tokenName })
      expect(await decode({ token, secret, salt: tokenName })).toEqual({ ...claims, jti: id })
      expect(await readSession(tracked, `${tokenName}=${token}`)).toContain("vera@corp.test")
    }
    await signOutEverywhere(host.config, await tracked.idOf("vera"))
    clock.advance({ seconds: 60 })
    for (const other of [claims, short]) {
      const token = await sealByJose({ ...other }, { from: secret, salt: tokenName })
      expect(await readSession(tracked, `${tokenName}=${token}`)).toBe("null")
    }
  })

  it("are written and read by the functions of the app as they are", async () => {
    const written: JWT[] = []
    const jwt = {
      encode: ({ token = {} }: JWTEncodeParams) => {
        written.push(token)
        return Buffer.from(JSON.stringify(token)).toString("base64url")
      },
      decode: ({ token = "" }: JWTDecodeParams) => JSON.parse(Buffer.from(token, "base64url").toString()),
    }
    const browser = await openTracked("jwt", {}, { jwt }).signIn("vera")
    expect(await browser.session()).not.toBeNull()
    const whole = { sid: expect.stringMatching(/^[\w-]{22}$/), chk: expect.any(Number), amr: ["pwd"] }
    expect(written).toEqual([expect.objectContaining(whole), expect.objectContaining(whole)])
  })

  it("end the record with the session when the jwt callback returns null", async () => {
    let isRevoked = false
    const callbacks = { jwt: ({ token }: JwtParams) => (isRevoked ? null : token) }
    const tracked = openTracked("jwt", {}, { callbacks })
    const browser = await tracked.signIn("vera")
    isRevoked = true
    expect(await browser.session()).toBeNull()
    expect(await tracked.adapter.listSessionsByUserId(await tracked.idOf("vera"))).toEqual([])
  })

  it("name the user who signed in, whom the list is for, when the jwt callback shows another one", async () => {
    const callbacks = {
      jwt: ({ token, user }: JwtParams) => (user ? token : { ...token, sub: "u-walt" }),
    }
    const tracked = openTracked("jwt", {}, { callbacks })
    const browser = await tracked.signIn("vera")
    await tracked.signIn("walt")
    await browser.session()
    clock.advance({ minutes: 2 })
    expect(await browser.session()).not.toBeNull()
    expect(await tracked.adapter.listSessionsByUserId("u-vera")).toHaveLength(1)
    await signOutEverywhere(tracked.host.config, "u-vera")
    clock.advance({ minutes: 2 })
    expect(await browser.session()).toBeNull()
  })

  it("are those of the contract without session.track", async () => {
    const tracked = openTracked("jwt", null)
    const claims = await claimsOf(await tracked.signIn("vera"), tracked)
    expect(Object.keys(claims ?? {}).sort()).toEqual(["email", "exp", "iat", "jti", "name", "sub"])
  })
})

describe("a store that cannot be asked", () => {
  function openFailing(whenStoreFails?: "hold" | "refuse") {
    const state = { isDown: false }
    const tracked = openTracked("jwt", { checkEvery: 60, ...(whenStoreFails && { whenStoreFails }) })
    const { seeSession } = tracked.adapter
    Object.assign(tracked.host.config.adapter ?? {}, {
      seeSession: (seen: never) => (state.isDown ? Promise.reject(new Error("away")) : seeSession(seen)),
    })
    return { tracked, state }
  }

  it("holds a session for ten times checkEvery after the last answer, and keeps its cookie then", async () => {
    const { tracked, state } = openFailing()
    const browser = await tracked.signIn("vera")
    state.isDown = true
    clock.advance({ seconds: 599 })
    expect(await browser.session()).not.toBeNull()
    clock.advance({ seconds: 1 })
    expect(await browser.session()).toBeNull()
    expect(browser.cookies.get(tokenName) ?? browser.cookies.get(cookieName)).toBeDefined()
    state.isDown = false
    expect(await browser.session()).not.toBeNull()
  })

  it("refuses a session that is due at once with whenStoreFails: refuse, and keeps its cookie", async () => {
    const { tracked, state } = openFailing("refuse")
    const browser = await tracked.signIn("vera")
    state.isDown = true
    clock.advance({ seconds: 59 })
    expect(await browser.session()).not.toBeNull()
    clock.advance({ seconds: 1 })
    expect(await browser.session()).toBeNull()
    expect(await browser.session()).toBeNull()
    expect(tracked.host.logger.errors.map(({ name }) => name)).toEqual(["AdapterError"])
    state.isDown = false
    expect(await browser.session()).not.toBeNull()
  })

  it("begins no session, and signs out without failing", async () => {
    const tracked = openTracked("jwt")
    const browser = await tracked.signIn("vera")
    const away = () => Promise.reject(new Error("away"))
    Object.assign(tracked.host.config.adapter ?? {}, { createSessionDetail: away, endSessions: away })
    await tracked.signIn("vera", tracked.host.newBrowser()).catch(() => {})
    const page = await browser.signOut()
    expect([page.url.pathname, await browser.session()]).toEqual(["/", null])
    expect(await tracked.adapter.listSessionsByUserId("u-vera")).toHaveLength(1)
  })
})
