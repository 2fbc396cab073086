import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import { AuthError } from "../errors/auth-error.js"
import { OAuthAccountNotLinked } from "../errors/errors.js"
import { createPermission, resolveCallbacks } from "./callbacks.js"

const baseUrl = "https://app.test"
const defaults = resolveCallbacks(undefined)
const redirect = (url: string) => String(defaults.redirect({ url, baseUrl }))

describe("the default redirect callback", () => {
  it.each([
    "https://evil.test/x",
    "https://app.test.evil.test",
    "https://app.test:8443/",
    "http://app.test/",
    "https://app.test@evil.test/",
    "blob:https://app.test/1-2-3",
    "javascript:alert(1)//https://app.test",
    "data:text/html,x",
    "\\\\evil.test",
    "evil.test",
    "",
    "null",
  ])("redirects to the origin instead of to %j", (url) => {
    expect(redirect(url)).toBe(baseUrl)
  })

  it.each(["//evil.test", "///evil.test/x", "/\\evil.test", "/\t/evil.test", "/%5Cevil.test"])(
    "treats %j as a path of this origin",
    (url) => {
      expect(redirect(url)).toBe(`${baseUrl}${url}`)
      expect(new URL(redirect(url), `${baseUrl}/auth/x`).origin).toBe(baseUrl)
    },
  )

  it("keeps a URL of this origin", () => {
    for (const url of ["https://app.test", "https://app.test/", "https://APP.test:443/a?b#c"]) {
      expect(redirect(url)).toBe(url)
    }
    expect(redirect("/a?b=c#d")).toBe("https://app.test/a?b=c#d")
  })

  it("redirects any text to this origin", () => {
    const pieces = fc.constantFrom(
      ..."/\\:@?#.%&= \t\n\r",
      "https:",
      "http:",
      "app.test",
      "evil.test",
      "blob:",
      "..",
      "[",
    )
    const text = fc.oneof(
      fc.string({ unit: pieces, maxLength: 12 }),
      fc.string({ unit: anyCharacter }),
      fc.webUrl(),
      fc.string({ unit: pieces }).map((tail) => `${baseUrl}${tail}`),
      fc.string({ unit: pieces }).map((tail) => `/${tail}`),
    )
    fc.assert(
      fc.property(text, fc.constantFrom("https://app.test", "http://localhost:3000"), (url, base) => {
        const result = String(defaults.redirect({ url, baseUrl: base }))
        expect(new URL(result, `${base}/auth/callback/x`).origin).toBe(base)
        expect(new URL(result).protocol).toMatch(/^https?:$/)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe("the default session callback", () => {
  const expires = "2030-01-01T00:00:00.000Z"
  const token = { sub: "1", group: "admin" }

  it("returns name, email and image only", () => {
    const user = { id: "1", name: "Ada", email: "ada@app.test", image: null, group: "admin" }
    const session = { user, expires, sessionToken: "hunter2", userId: "1" }
    expect(defaults.session({ session, token })).toEqual({
      user: { name: "Ada", email: "ada@app.test", image: null },
      expires,
    })
  })

  it("omits missing fields, and keeps an empty user", () => {
    expect(defaults.session({ session: { user: {}, expires }, token })).toStrictEqual({ user: {}, expires })
  })

  it("converts the date of a stored session to text", () => {
    // as: a stored session has a Date, but the callback's type has the text for clients.
    const session = { user: { name: "Ada" }, expires: new Date(expires) as unknown as string }
    expect(defaults.session({ session, token })).toEqual({ user: { name: "Ada" }, expires })
  })
})

describe("resolveCallbacks", () => {
  it("allows every sign-in and keeps the token by default", () => {
    const token = { sub: "1" }
    expect(defaults.signIn({ user: {} })).toBe(true)
    expect(defaults.jwt({ token })).toBe(token)
  })

  it("calls the given callbacks with their arguments and their `this`", () => {
    const host = {
      seen: [] as unknown[],
      keep<T>(params: unknown, answer: T): T {
        this.seen.push(params)
        return answer
      },
      signIn(params: unknown) {
        return this.keep(params, "/terms")
      },
      redirect(params: unknown) {
        return this.keep(params, "https://elsewhere.test")
      },
      jwt(params: unknown) {
        return this.keep(params, null)
      },
      session(params: unknown) {
        return this.keep(params, { expires: "never" })
      },
    }
    const callbacks = resolveCallbacks(host)
    const calls = {
      signIn: { user: { id: "1" } },
      redirect: { url: "/", baseUrl },
      jwt: { token: {}, trigger: "update" as const },
      session: { session: { user: {}, expires: "" }, token: {} },
    }
    expect(callbacks.signIn(calls.signIn)).toBe("/terms")
    expect(callbacks.redirect(calls.redirect)).toBe("https://elsewhere.test")
    expect(callbacks.jwt(calls.jwt)).toBeNull()
    expect(callbacks.session(calls.session)).toEqual({ expires: "never" })
    expect(host.seen).toEqual(Object.values(calls))
  })
})

const params = { user: { id: "1" }, account: null }
const ask = (signIn: () => unknown) => createPermission({ signIn: signIn as () => boolean }).ask(params)
const denied = (message: string) => expect.objectContaining({ type: "AccessDenied", message })

describe("createPermission", () => {
  it.each([true, 1, {}])("allows the sign-in if the callback returns %j", async (answer) => {
    expect(await ask(() => answer)).toBeNull()
  })

  it("says what a signIn callback lacks that returns nothing", async () => {
    const message = "callbacks.signIn returned nothing. End it with: return true"
    await expect(ask(() => undefined)).rejects.toEqual(denied(message))
    await expect(ask(async () => undefined)).rejects.toEqual(denied(message))
  })

  it.each([false, null, 0, ""])("refuses the sign-in if the callback returns %j", async (answer) => {
    await expect(ask(() => answer)).rejects.toEqual(denied("callbacks.signIn refused"))
    await expect(ask(async () => answer)).rejects.toEqual(denied("callbacks.signIn refused"))
  })

  it("refuses the sign-in if the callback fails, with its error as the cause", async () => {
    const error = new TypeError("the member list is down")
    const fail = () => {
      throw error
    }
    await expect(ask(fail)).rejects.toMatchObject({
      type: "AccessDenied",
      message: error.message,
      cause: { err: error },
    })
    await expect(ask(() => Promise.reject(error))).rejects.toEqual(denied(error.message))
  })

  it("does not repeat a thrown value that is not an error", async () => {
    await expect(ask(() => Promise.reject("hunter2"))).rejects.toEqual(denied("A value of type string was thrown"))
  })

  it("rethrows an AuthError", async () => {
    for (const error of [new OAuthAccountNotLinked("other"), new AuthError("own")]) {
      await expect(ask(() => Promise.reject(error))).rejects.toBe(error)
    }
  })

  it("allows the sign-in for true, returned or resolved", async () => {
    expect(await ask(() => true)).toBeNull()
    expect(await ask(async () => true)).toBeNull()
  })

  it("returns the URL of the callback", async () => {
    expect(await ask(async () => "/terms")).toBe("/terms")
  })

  it("passes its arguments to the callback", async () => {
    const seen: unknown[] = []
    await createPermission({
      signIn: (given) => {
        seen.push(given)
        return true
      },
    }).ask(params)
    expect(seen).toEqual([params])
  })
})
