import { fixedClock } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { email, oldSecret, secret, emailSetup as setUp, sha256, theme } from "../../../test/setup/email-setup.js"
import { failureOf } from "../../../test/setup/failure-of.js"
import { authRequestTo } from "../../../test/setup/requests.js"
import { AccessDenied, Verification } from "../../errors/errors.js"
import type { Reply } from "../../http/response.js"
import type { SignInParams } from "../../types/callbacks.js"

afterEach(() => void vi.useRealTimers())

describe("requesting a link: rejections", () => {
  it.each([
    ["MAIL-01", "a@evil.test,v@corp.test"],
    ["MAIL-02", "a@evil.test,corp.test"],
    ["MAIL-04", '"v@corp.test"@evil.test'],
    ["MAIL-06", "\u212Aim@corp.test"],
    ["MAIL-07", "v@corp.test\r\nBcc: a@evil.test"],
    ["MAIL-08", "V <v@corp.test>"],
    ["MAIL-09", "a@localhost"],
  ])("%s: sends nothing and stores nothing for %j", async (_, address) => {
    const { request, steps } = setUp()
    const { error } = await failureOf(request({ email: address }))
    expect([error.type, error.message.includes(address)]).toEqual(["EmailSignInError", false])
    expect(steps).toEqual([])
  })

  it.each([[["v@corp.test"]], [{}], [7], [null], [true]])("MAIL-10: rejects %j as an address", async (given) => {
    const { method, provider, steps } = setUp()
    const request = await authRequestTo("/auth/signin/email", { json: { email: given } })
    expect((await failureOf(method.begin(request, provider))).error).toMatchObject({
      type: "InvalidRequest",
      status: 400,
    })
    expect(steps).toEqual([])
  })

  it("MAIL-10: rejects a form without an address", async () => {
    for (const form of [{}, { email: "" }]) {
      const { error } = await failureOf(setUp().request(form))
      expect([error.type, error.message]).toEqual(["EmailSignInError", "The form has no email"])
    }
  })

  it("rejects an address that normalizeIdentifier rejects, without quoting its error", async () => {
    const { request, steps } = setUp({
      provider: {
        normalizeIdentifier: (given) => {
          throw new Error(`no: ${given}`)
        },
      },
    })
    const { error } = await failureOf(request())
    expect(error.type).toBe("EmailSignInError")
    expect(`${error.message} ${JSON.stringify(error.cause)}`).not.toContain(email)
    expect(steps).toEqual([])
  })

  it("hears the rejection of an async normalizeIdentifier, which would end the process", async () => {
    const normalizeIdentifier = async (given: string) => Promise.reject(new Error(`no: ${given}`))
    // as: apps in JavaScript may return anything.
    const { request } = setUp({ provider: { normalizeIdentifier: normalizeIdentifier as never } })
    expect((await failureOf(request())).error.message).toBe("normalizeIdentifier gave no address")
  })

  it("keeps an AuthError that normalizeIdentifier throws", async () => {
    const { request } = setUp({
      provider: {
        normalizeIdentifier: () => {
          throw new AccessDenied("no such domain here")
        },
      },
    })
    expect((await failureOf(request())).error.type).toBe("AccessDenied")
  })

  it.each([undefined, null, "", 5, {}, Promise.resolve(email)])(
    "rejects an address if normalizeIdentifier returns %j, which others may have too",
    async (address) => {
      // as: apps in JavaScript may return anything.
      const { request, steps } = setUp({ provider: { normalizeIdentifier: () => address as string } })
      const { error } = await failureOf(request())
      expect([error.type, error.message]).toEqual(["EmailSignInError", "normalizeIdentifier gave no address"])
      expect(steps).toEqual([])
    },
  )

  it.each(["", Number.NaN, {}, false, "undefined", new Map()])(
    "sends and stores nothing if generateVerificationToken returns %j, which is the same for every link",
    async (token) => {
      // as: apps in JavaScript may return anything.
      const { request, sent, steps } = setUp({ provider: { generateVerificationToken: () => token as string } })
      const { error } = await failureOf(request())
      expect([error.type, error.message]).toEqual(["EmailSignInError", "generateVerificationToken returned no token"])
      expect([sent, steps]).toEqual([[], ["getUserByEmail"]])
    },
  )

  it.each([
    ["answers false", () => false],
    ["answers nothing", () => undefined as never],
    ["fails", () => Promise.reject(new Error("ldap is away"))],
    ["throws an error of ours", () => Promise.reject(new Verification("x"))],
  ])("MAIL-21: sends and stores nothing when the signIn callback %s, and throws AccessDenied", async (_, signIn) => {
    const { request, steps } = setUp({ callbacks: { signIn } })
    expect((await failureOf(request())).error.type).toBe("AccessDenied")
    expect(steps).toEqual(["getUserByEmail"])
  })

  it("MAIL-20: removes the token when the mail cannot be sent", async () => {
    const { request, mailbox, steps, sent, press } = setUp()
    mailbox.refuseNext(new Error("550 no such mailbox"))
    const { error } = await failureOf(request())
    expect(error).toMatchObject({
      type: "EmailSignInError",
      cause: { provider: "email", err: { message: "550 no such mailbox" } },
    })
    expect(error.message).not.toMatch(/vera|corp/)
    expect(steps).toEqual(["getUserByEmail", "createVerificationToken", "send", "useVerificationToken"])
    expect((await failureOf(press(sent[0]?.url))).error.type).toBe("Verification")
  })

  it("MAIL-20: removes the token when the sender throws synchronously", async () => {
    const { request, steps } = setUp({
      provider: {
        sendVerificationRequest: () => {
          throw new Error("no transport")
        },
      },
    })
    expect((await failureOf(request())).error.type).toBe("EmailSignInError")
    expect(steps.at(-1)).toBe("useVerificationToken")
  })

  it("MAIL-20: times out a sender after ten seconds", async () => {
    vi.useFakeTimers()
    const { request, steps } = setUp({ provider: { sendVerificationRequest: () => new Promise(() => {}) } })
    const failure = failureOf(request())
    await vi.advanceTimersByTimeAsync(9_999)
    expect(steps).not.toContain("useVerificationToken")
    await vi.advanceTimersByTimeAsync(1)
    expect((await failure).error.type).toBe("EmailSignInError")
    expect(steps.at(-1)).toBe("useVerificationToken")
  })

  it("sends nothing when the token cannot be stored", async () => {
    const { request, sent } = setUp({ adapter: { createVerificationToken: () => Promise.reject(new Error("full")) } })
    expect((await failureOf(request())).error.type).toBe("AdapterError")
    expect(sent).toEqual([])
  })
})

describe("requesting a link", () => {
  it("stores the token before it sends the mail, and redirects to the verify-request page", async () => {
    const { request, steps } = setUp()
    const { redirect, cookies = [] } = await request()
    expect(redirect).toBe("https://app.test/auth/verify-request?provider=email&type=email")
    expect(cookies.map(({ name }) => name)).toEqual([expect.stringMatching(/^__Host-authjs\.mail\.[\w-]{19}$/)])
    expect(steps).toEqual(["getUserByEmail", "createVerificationToken", "send"])
  })

  it("calls sendVerificationRequest with the contract's parameters", async () => {
    using clock = fixedClock()
    const { request, sent, provider } = setUp()
    await request(
      { email: " Vera@Corp.TEST ", callbackUrl: "/private?a=b", csrfToken: "t" },
      { headers: { "x-own": "1" } },
    )
    const [{ token = "", url = "", request: passed, ...params } = {}] = sent
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(params).toStrictEqual({
      identifier: email,
      expires: new Date(clock.now() + 86_400_000),
      provider,
      theme,
    })
    const callbackUrl = encodeURIComponent("https://app.test/private?a=b")
    expect(url).toBe(
      `https://app.test/auth/callback/email?callbackUrl=${callbackUrl}&token=${token}&email=vera%40corp.test`,
    )
    expect([passed?.method, passed?.url, passed?.headers.get("x-own")]).toEqual([
      "POST",
      "https://app.test/auth/signin/email",
      "1",
    ])
    expect(await passed?.json()).toMatchObject({ email: " Vera@Corp.TEST " })
  })

  it("MAIL-12: stores a hash of the token with the secret, never the token", async () => {
    const { request, sent, stored } = setUp()
    await request()
    const token = sent[0]?.token ?? ""
    const [record] = stored.calls
      .filter(({ method }) => method === "createVerificationToken")
      .map(({ args }) => args[0])
    expect(record).toEqual({ identifier: email, token: sha256(`${token}${secret}`), expires: sent[0]?.expires })
    expect(JSON.stringify(stored.calls)).not.toContain(token)
  })

  it("hashes with the newest secret, or with the provider's own", async () => {
    for (const [host, key] of [
      [{ secrets: [secret, oldSecret] }, secret],
      [{ provider: { secret: "of the provider" } }, "of the provider"],
    ] as const) {
      const { request, sent, stored } = setUp(host)
      await request()
      expect(JSON.stringify(stored.calls)).toContain(sha256(`${sent[0]?.token}${key}`))
    }
  })

  it("MAIL-12: creates a new token each time", async () => {
    const { request, sent } = setUp()
    for (let n = 0; n < 20; n++) await request()
    expect(new Set(sent.map(({ token }) => token)).size).toBe(20)
  })

  it("uses generateVerificationToken and maxAge of the provider", async () => {
    using clock = fixedClock()
    const { request, sent } = setUp({ provider: { generateVerificationToken: async () => "123456", maxAge: 600 } })
    await request()
    expect(sent[0]).toMatchObject({ token: "123456", expires: new Date(clock.now() + 600_000) })
    expect(new URL(sent[0]?.url ?? "").searchParams.get("token")).toBe("123456")
  })

  it("stores, looks up and emails the result of normalizeIdentifier", async () => {
    const { request, sent, stored } = setUp({ provider: { normalizeIdentifier: (given) => `${given.trim()}!` } })
    await request({ email: " Anything " })
    expect(sent[0]?.identifier).toBe("Anything!")
    expect(stored.calls.map(({ args }) => args[0])).toEqual([
      "Anything!",
      expect.objectContaining({ identifier: "Anything!" }),
    ])
  })

  it("passes the known user and verificationRequest to the signIn callback", async () => {
    const asked: SignInParams[] = []
    const callbacks = { signIn: (params: SignInParams) => asked.push(params) > 0 }
    const { request, stored } = setUp({ callbacks })
    await request()
    const vera = await stored.createUser({ id: "vera", email, emailVerified: null, name: "Vera" })
    await request()
    const account = { providerAccountId: email, type: "email", provider: "email" }
    const made = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), email, emailVerified: null }
    expect(asked).toStrictEqual([
      { user: made, account: { ...account, userId: asked[0]?.user.id }, email: { verificationRequest: true } },
      { user: vera, account: { ...account, userId: "vera" }, email: { verificationRequest: true } },
    ])
  })

  it("URL-17: redirects to the URL of the signIn callback through the redirect policy, and sends nothing", async () => {
    for (const [answer, target] of [
      ["/invited-only", "https://app.test/invited-only"],
      ["//evil.test", "https://app.test//evil.test"],
      ["https://evil.test", "https://app.test"],
    ]) {
      const { request, steps } = setUp({ callbacks: { signIn: () => answer ?? "" } })
      expect((await request()).redirect).toBe(target)
      expect(steps).toEqual(["getUserByEmail"])
    }
  })

  it("ENUM-01: replies the same for known and unknown addresses", async () => {
    const { request, stored } = setUp({ provider: { code: true } })
    const unknown = await request()
    await stored.createUser({ id: "vera", email, emailVerified: null })
    // The same cookie, too: its value differs for each mail, and is sealed.
    const withoutValue = ({ cookies = [], ...reply }: Reply) => ({
      ...reply,
      cookies: cookies.map(({ name, value, options }) => [name, value.length, options]),
    })
    expect(withoutValue(await request())).toEqual(withoutValue(unknown))
  })

  it("sets the callback URL cookie", async () => {
    const { cookies = [] } = await setUp().request({ email, callbackUrl: "/private" })
    expect(cookies.slice(0, 1)).toMatchObject([
      { name: "__Secure-authjs.callback-url", value: "https://app.test/private" },
    ])
  })

  it("encodes the address and the callback URL in the link", async () => {
    const { request, sent } = setUp({ provider: { normalizeIdentifier: (given) => given } })
    await request({ email: "a&token=x#@b.test", callbackUrl: "/a?b=c&d=#f" })
    const { searchParams } = new URL(sent[0]?.url ?? "")
    expect([...searchParams.keys()]).toEqual(["callbackUrl", "token", "email"])
    expect(searchParams.get("email")).toBe("a&token=x#@b.test")
    expect(searchParams.get("callbackUrl")).toBe("https://app.test/a?b=c&d=#f")
  })
})
