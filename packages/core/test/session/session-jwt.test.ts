import type { CallbacksOptions } from "@latchkey/core/types"
import { fixedClock, type TestHost, type TestHostOptions } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post, readAnswer } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const right = { u: "v", p: "right" }

async function openSignedIn(options: TestHostOptions = {}): Promise<TestHost> {
  const host = openHost({ providers: [passwordProvider()], ...options })
  await host.browser.signIn("cred", right)
  host.events.clear()
  return host
}

/** `POST /session` as client libraries send it. */
async function update({ browser }: TestHost, data: unknown) {
  const csrfToken = await browser.csrfToken()
  return readAnswer(await browser.fetch("/auth/session", { json: { csrfToken, data } }))
}

/** Callbacks that record their parameters. */
function recordCallbacks(): { asked: unknown[][]; callbacks: Pick<CallbacksOptions, "jwt" | "session"> } {
  const asked: unknown[][] = []
  return {
    asked,
    callbacks: {
      jwt(params) {
        asked.push(["jwt", params])
        return { ...params.token, shelf: "north" }
      },
      session(params) {
        asked.push(["session", params])
        return { ...params.session, shelf: params.token["shelf"] }
      },
    },
  }
}

const expiresIn = (start: number, days: number) => new Date(start + days * 24 * 60 * 60 * 1000)

describe("GET /session with a token", () => {
  it("JWT-20: returns name, email, image and expiry, and nothing else of the token", async () => {
    using clock = fixedClock()
    const jwt: CallbacksOptions["jwt"] = ({ token }) => ({
      ...token,
      picture: "https://app.test/v.png",
      access_token: "hidden",
    })
    const { browser } = await openSignedIn({ callbacks: { jwt } })
    expect(await browser.session()).toStrictEqual({
      user: { name: "V", email: "v@corp.test", image: "https://app.test/v.png" },
      expires: expiresIn(clock.now(), 30).toISOString(),
    })
  })

  it("calls jwt, then session, renews the cookie, then sends the event", async () => {
    using clock = fixedClock()
    const { asked, callbacks } = recordCallbacks()
    const host = await openSignedIn({ callbacks })
    asked.splice(0)
    clock.advance({ days: 1 })
    const answer = await get(host.browser, "/auth/session")
    const expires = expiresIn(clock.now(), 30)
    const claims = { name: "V", email: "v@corp.test", sub: "u-v", shelf: "north" }
    expect(asked).toEqual([
      ["jwt", { token: expect.objectContaining(claims) }],
      [
        "session",
        {
          session: { user: { name: "V", email: "v@corp.test" }, expires: expires.toISOString() },
          token: expect.objectContaining(claims),
        },
      ],
    ])
    expect(Object.keys(asked.map(([, params]) => params).at(0) ?? {})).toEqual(["token"])
    expect(answer.json()).toMatchObject({ shelf: "north", expires: expires.toISOString() })
    expect(answer.cookies.get(sessionCookie)?.attributes).toContain(`Expires=${expires.toUTCString()}`)
    expect(host.events.of("session")).toEqual([{ session: answer.json(), token: expect.objectContaining(claims) }])
  })

  it("JWT-07: returns null and clears the cookie as soon as the token expires", async () => {
    using clock = fixedClock()
    const host = await openSignedIn({ session: { maxAge: 60 } })
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    clock.advance({ seconds: 74 })
    host.browser.cookies.set(sessionCookie, token, { expiresAt: null })
    expect(await host.browser.session()).not.toBeNull()
    clock.advance({ seconds: 76 })
    host.browser.cookies.set(sessionCookie, token, { expiresAt: null })
    const answer = await get(host.browser, "/auth/session")
    expect([answer.status, answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual([200, "null", ""])
    expect(host.logger.errorTypes()).toEqual(["JWTSessionError"])
  })

  it("JWT-17: returns null when jwt does: clears the cookies, does not call session, sends no event", async () => {
    const asked: string[] = []
    const host = await openSignedIn({
      callbacks: {
        jwt: ({ token, trigger }) => (trigger === "signIn" ? token : null),
        session: ({ session }) => {
          asked.push("session")
          return session
        },
      },
    })
    const answer = await get(host.browser, "/auth/session")
    expect([answer.status, answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual([200, "null", ""])
    expect([asked, host.events.names(), host.logger.errors]).toEqual([[], [], []])
  })

  it.each(["jwt", "session"] as const)(
    "JWT-18: returns null when %s throws: clears the cookies and logs the cause",
    async (name) => {
      const state = { isBroken: false }
      const fail = () => {
        if (state.isBroken) throw new Error("db password hunter2")
      }
      const host = await openSignedIn({
        callbacks: {
          jwt({ token }) {
            if (name === "jwt") fail()
            return token
          },
          session({ session }) {
            if (name === "session") fail()
            return session
          },
        },
      })
      state.isBroken = true
      const answer = await get(host.browser, "/auth/session")
      expect([answer.status, answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual([200, "null", ""])
      expect(host.logger.errors).toMatchObject([
        { type: "JWTSessionError", message: "callbacks.jwt or callbacks.session failed" },
      ])
    },
  )

  it("LOG-06: logs an event handler that throws, and keeps the session", async () => {
    const host = await openSignedIn({
      events: {
        session: () => {
          throw new Error("the audit log is full")
        },
      },
    })
    expect(await host.browser.session()).not.toBeNull()
    expect(host.logger.errorTypes()).toEqual(["EventError"])
  })
})

describe("POST /session with a token", () => {
  it("passes the data to jwt and session with the trigger update", async () => {
    const { asked, callbacks } = recordCallbacks()
    const host = await openSignedIn({ callbacks })
    asked.splice(0)
    const answer = await update(host, { theme: "dark" })
    expect(asked).toEqual([
      ["jwt", { token: expect.anything(), session: { theme: "dark" }, trigger: "update" }],
      [
        "session",
        { session: expect.anything(), token: expect.anything(), newSession: { theme: "dark" }, trigger: "update" },
      ],
    ])
    expect([answer.status, answer.json()]).toEqual([200, expect.objectContaining({ shelf: "north" })])
  })

  it("JWT-19: changes nothing without a callback", async () => {
    using clock = fixedClock()
    const host = await openSignedIn()
    const answer = await update(host, { sub: "u-w", email: "w@corp.test", exp: 9_999_999_999, user: { name: "W" } })
    expect(answer.json()).toEqual({
      user: { name: "V", email: "v@corp.test" },
      expires: expiresIn(clock.now(), 30).toISOString(),
    })
  })

  it("keeps what jwt returns", async () => {
    const host = await openSignedIn({
      callbacks: {
        jwt: ({ token, trigger, session }) => (trigger === "update" ? { ...token, name: Object(session).name } : token),
      },
    })
    expect((await update(host, { name: "Vera" })).json()).toMatchObject({ user: { name: "Vera" } })
    expect((await host.browser.session())?.user?.name).toBe("Vera")
  })

  it("returns null without a session", async () => {
    const host = openHost({ providers: [passwordProvider()] })
    const answer = await update(host, { name: "Vera" })
    expect([answer.status, answer.text]).toEqual([200, "null"])
  })

  it("answers 400 and null when the body is not a JSON object", async () => {
    const host = await openSignedIn()
    const response = await host.browser.fetch("/auth/session", { json: ["x"] })
    expect([response.status, await response.json()]).toEqual([400, "Bad request."])
  })
})

describe("POST /signout with a token", () => {
  it("clears the cookie and sends its claims to the event", async () => {
    const host = await openSignedIn()
    const answer = await post(host.browser, "/auth/signout", { callbackUrl: "/bye" })
    expect([answer.location, answer.cookies.get(sessionCookie)?.value]).toEqual(["https://app.test/bye", ""])
    expect(host.events.of("signOut")).toEqual([{ token: expect.objectContaining({ sub: "u-v", name: "V" }) }])
    expect(await host.browser.session()).toBeNull()
  })

  it("clears an invalid token too, and logs it", async () => {
    const host = openHost({ providers: [passwordProvider()] })
    host.browser.cookies.set(sessionCookie, "garbage")
    const answer = await post(host.browser, "/auth/signout")
    expect([answer.location, answer.cookies.get(sessionCookie)?.value]).toEqual(["https://app.test", ""])
    expect([host.logger.errorTypes(), host.events.names()]).toEqual([["SignOutError"], []])
  })
})

describe("a sign-in with jwt sessions", () => {
  it("passes the user, the account and a token of four claims to jwt", async () => {
    const asked: unknown[] = []
    await openSignedIn({
      callbacks: {
        jwt(params) {
          asked.push(params)
          return params.token
        },
      },
    })
    expect(asked[0]).toStrictEqual({
      token: { name: "V", email: "v@corp.test", sub: "u-v" },
      user: { id: "u-v", name: "V", email: "v@corp.test" },
      account: { providerAccountId: "u-v", type: "credentials", provider: "cred" },
      trigger: "signIn",
      isNewUser: false,
    })
  })

  it("continues without a session when jwt returns null", async () => {
    const host = openHost({ providers: [passwordProvider()], callbacks: { jwt: () => null } })
    const page = await host.browser.signIn("cred", { ...right, callbackUrl: "/in" })
    expect(page.url.pathname).toBe("/in")
    expect([host.browser.cookies.get(sessionCookie), host.events.names()]).toEqual([undefined, ["signIn"]])
  })

  it.each<[string, unknown, string]>([
    ["a BigInt", 7n, "it is a BigInt. Write String(value)"],
    ["a BigInt within", { balance: 7n }, "it has a BigInt or a cycle"],
  ])("names the claim when jwt returns %s", async (_, credit, words) => {
    const sentence = `callbacks.jwt: the claim credit cannot be written as JSON: ${words}`
    const host = openHost({
      providers: [passwordProvider()],
      callbacks: { jwt: ({ token }) => ({ ...token, credit }) },
    })
    await host.browser.signIn("cred", right)
    expect(await host.browser.session()).toBeNull()
    expect(host.logger.texts().join("\n")).toContain(sentence)
    const later = await openSignedIn({
      callbacks: { jwt: ({ token, trigger }) => (trigger ? token : { ...token, credit }) },
    })
    expect(await later.browser.session()).toBeNull()
    expect(later.logger.errors.map(({ message }) => message)).toEqual([sentence])
  })

  it("fails when jwt throws, with the provider in the log", async () => {
    const host = openHost({
      providers: [passwordProvider()],
      callbacks: {
        jwt: () => {
          throw new Error("no roles")
        },
      },
    })
    const page = await host.browser.signIn("cred", right)
    expect(page.url.href).toBe("https://app.test/auth/error?error=Configuration")
    expect(host.logger.errors).toMatchObject([{ type: "CallbackRouteError", cause: { provider: "cred" } }])
    expect(host.events.names()).toEqual([])
  })
})
