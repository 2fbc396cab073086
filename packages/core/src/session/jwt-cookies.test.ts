import { describe, expect, it } from "vitest"
import {
  type SessionHost,
  sessionSecret as secret,
  sessionCookie,
  sessionSetup,
  statelessSessions,
} from "../../test/setup/session-setup.js"
import { encode } from "../crypto/jwt.js"
import { readCookies } from "../http/cookies.js"
import type { JWTDecodeParams } from "../types/jwt.js"
import type { JwtSessionOptions } from "./jwt.js"

const { name } = sessionCookie
const cleared = { ...sessionCookie, value: "", options: { ...sessionCookie.options, maxAge: 0 } }

const setUp = (host?: SessionHost, changes?: Partial<JwtSessionOptions>) =>
  sessionSetup(statelessSessions(changes), host)

describe("jwt sessions: several cookies of one name", () => {
  const checkCookies = async (setup: ReturnType<typeof setUp>, ...values: readonly string[]) => {
    return setup.sessions.check({ cookies: readCookies(values.map((value) => `${name}=${value}`).join("; ")) })
  }

  it("rejects them when none is a token, and logs an error that does not quote them", async () => {
    const foreign = await encode({ token: { sub: "x" }, secret, salt: "another" })
    const setup = setUp()
    expect((await checkCookies(setup, "junk-1", foreign, "junk-2")).session).toBeNull()
    expect(setup.logger.errorTypes()).toEqual(["JWTSessionError"])
    const [{ message, cause } = new Error("none")] = setup.logger.errors
    expect(`${message} ${(cause as { err: Error }).err.message}`).not.toMatch(/junk/)
  })

  it("has no session and logs nothing without a cookie", async () => {
    const setup = setUp()
    expect(await checkCookies(setup)).toEqual({ session: null, cookies: [] })
    expect(setup.logger.errors).toEqual([])
  })

  it("rejects them when the app's decode returns null", async () => {
    const setup = setUp(undefined, { decode: async () => null })
    expect((await checkCookies(setup, "a", "b")).session).toBeNull()
    expect(setup.logger.errors).toMatchObject([
      { type: "JWTSessionError", cause: { err: { type: "JWTSessionError" } } },
    ])
  })

  it("uses the first that the app's decode accepts, and decodes no further ones", async () => {
    const asked: unknown[] = []
    const decodeGood = async ({ token }: JWTDecodeParams) => {
      asked.push(token)
      return token === "bad" ? Promise.reject(new Error("no")) : { name: token ?? "" }
    }
    const setup = setUp(undefined, { decode: decodeGood })
    expect((await checkCookies(setup, "bad", "b", "c")).session?.user?.name).toBe("b")
    expect(asked).toEqual(["bad", "b"])
  })

  it("finds the token behind a junk value", async () => {
    const setup = setUp()
    const [cookie] = await setup.start()
    expect((await checkCookies(setup, "junk", cookie?.value ?? "")).session?.user?.name).toBe("Vera")
  })
})

describe("jwt sessions: a planted session that the app ended", () => {
  /** The browser sends a neighboring site's cookie, whose path is longer, before its own. */
  async function plantEnded() {
    const setup = setUp({ callbacks: { jwt: ({ token }) => (token.sub === "mallory" ? null : token) } })
    await setup.start()
    const planted = await encode({ token: { sub: "mallory" }, secret, salt: name })
    const cookies = readCookies(`${name}=${planted}; ${name}=${setup.browser.get(name)}`)
    return { ...setup, cookies }
  }

  it("COOK-08: does not hide the browser's own session, nor clear its cookie", async () => {
    const { sessions, cookies } = await plantEnded()
    const kept = { session: { user: { name: "Vera" } }, cookies: [{ name, value: expect.stringMatching(/./) }] }
    expect(await sessions.check({ cookies })).toMatchObject(kept)
  })

  it("COOK-08: does not hide the user of the browser's own session", async () => {
    const { sessions, cookies } = await plantEnded()
    expect((await sessions.findUser(cookies))?.id).toBe("vera")
  })

  it("COOK-08: does not hide the browser's own session from the signOut event", async () => {
    const { sessions, cookies } = await plantEnded()
    expect((await sessions.end({ cookies })).message).toMatchObject({ token: { sub: "vera" } })
  })

  it("is none when the app ended all sessions that the browser sends", async () => {
    const setup = setUp({ callbacks: { jwt: () => null } })
    const tokens = await Promise.all(["a", "b"].map((sub) => encode({ token: { sub }, secret, salt: name })))
    const cookies = readCookies(tokens.map((token) => `${name}=${token}`).join("; "))
    expect(await setup.sessions.check({ cookies })).toEqual({ session: null, cookies: [cleared] })
    expect(await setup.sessions.findUser(cookies)).toBeNull()
    expect((await setup.sessions.end({ cookies })).message).toBeNull()
  })
})
