import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  type EmailHost,
  email,
  oldSecret,
  proofOf,
  secret,
  emailSetup as setUp,
  sha256,
} from "../../../test/setup/email-setup.js"
import { failureOf } from "../../../test/setup/failure-of.js"
import { emailMethod } from "./email.js"

describe("pressing the button of a link: rejections", () => {
  /** A sent link with changes to its query. */
  async function changed(changes: Readonly<Record<string, string | null>>, host?: EmailHost) {
    const made = setUp(host)
    await made.request()
    const link = new URL(made.mailbox.lastLink())
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) link.searchParams.delete(name)
      else link.searchParams.set(name, value)
    }
    return { ...made, link: link.href }
  }

  it.each([
    ["MAIL-13: another address", { email: "walt@corp.test" }],
    ["MAIL-13: no address", { email: null }],
    ["an address in other letters", { email: "VERA@corp.test" }],
    ["another token", { token: "0".repeat(64) }],
    ["MAIL-17: the hash itself", { token: sha256("x") }],
  ])("rejects %s, and the link still works", async (_, changes) => {
    const { press, link, mailbox } = await changed(changes)
    const { error } = await failureOf(press(link))
    expect([error.type, error.cause]).toEqual(["Verification", { provider: "email", reason: "link-spent", facts: {} }])
    expect((await proofOf(press(mailbox.lastLink()))).proof.account.providerAccountId).toBe(email)
  })

  it.each([[{ token: null }], [{ token: "" }]])(
    "MAIL-13: refuses a link with %j as the contract says",
    async (changes) => {
      const { press, link, steps } = await changed(changes)
      expect((await failureOf(press(link))).error.type).toBe("CallbackRouteError")
      expect(steps).not.toContain("useVerificationToken")
    },
  )

  it("LINK-05, ADP-13: does not match a user with a look-alike address, however the store compares", async () => {
    const lookAlike = { id: "stranger", email: "v\u00E9ra@corp.test", emailVerified: null }
    const { request, press } = setUp({ adapter: { getUserByEmail: async () => lookAlike } })
    await request()
    expect((await proofOf(press())).proof).toMatchObject({
      isKnown: false,
      user: { email, id: expect.not.stringMatching("stranger") },
    })
  })

  it("MAIL-14: rejects a link that was used", async () => {
    const { press, request } = setUp()
    await request()
    await proofOf(press())
    expect((await failureOf(press())).error.type).toBe("Verification")
  })

  it("MAIL-14: accepts one of many concurrent requests with the same link", async () => {
    const { press, request } = setUp()
    await request()
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => press()))
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })

  it("MAIL-15: rejects an expired link, to the second, and removes its token", async () => {
    using clock = fixedClock()
    const { press, request, stored } = setUp({ provider: { maxAge: 600 } })
    await request()
    clock.advance({ seconds: 600 })
    expect((await failureOf(press())).error.type).toBe("Verification")
    const { args } = stored.calls.find(({ method }) => method === "useVerificationToken") ?? { args: [] }
    expect(await stored.useVerificationToken(args[0] as { identifier: string; token: string })).toBeNull()
    await request()
    clock.advance({ seconds: 599 })
    await proofOf(press())
  })

  it.each(["no date", null, undefined, Number.NaN, {}])(
    "ADP-11: takes a record that expires at %j for expired",
    async (expires) => {
      const { press, request } = setUp({
        adapter: { useVerificationToken: async (given) => ({ ...given, expires: expires as Date }) },
      })
      await request()
      expect((await failureOf(press())).error.type).toBe("Verification")
    },
  )

  it("MAIL-13: rejects the token of another address, however the store found it", async () => {
    const { press, request } = setUp({
      adapter: {
        useVerificationToken: async ({ token }) => ({
          token,
          identifier: "walt@corp.test",
          expires: new Date(2 ** 42),
        }),
      },
    })
    await request()
    expect((await failureOf(press())).error.type).toBe("Verification")
  })

  it("ENUM-06: gives the same error type for expired, used and unknown links", async () => {
    using clock = fixedClock()
    const { press, request, mailbox } = setUp()
    await request()
    const types = [(await failureOf(press(`${mailbox.lastLink()}x`))).error]
    await proofOf(press())
    types.push((await failureOf(press())).error)
    await request()
    clock.advance({ days: 2 })
    types.push((await failureOf(press())).error)
    expect(types.map(({ type, cause }) => [type, cause?.["provider"]])).toEqual(
      types.map(() => ["Verification", "email"]),
    )
    // In the log alone.
    expect(types.map(({ cause }) => cause?.["reason"])).toEqual(["link-spent", "link-spent", "link-expired"])
  })

  it("KEY-04: rejects a link that was created with a removed secret", async () => {
    const before = setUp({ secrets: [oldSecret] })
    await before.request()
    const { press } = setUp({ stored: before.stored })
    expect((await failureOf(press(before.mailbox.lastLink()))).error.type).toBe("Verification")
  })
})

describe("following a link", () => {
  it("returns a proof for known and unknown users, without a callback URL", async () => {
    const { follow, request, stored } = setUp()
    await request()
    expect(await follow()).toStrictEqual({
      proof: {
        candidate: { id: expect.any(String), email, emailVerified: null },
        user: { id: expect.any(String), email, emailVerified: null },
        knownUserId: undefined,
        dependsOnSession: false,
        isKnown: false,
        achieved: ["email"],
        account: { providerAccountId: email, userId: expect.any(String), type: "email", provider: "email" },
      },
      callbackUrl: undefined,
      cookies: [],
    })
    const vera = await stored.createUser({ id: "vera", email, emailVerified: null, name: "Vera" })
    await request()
    const { proof } = await proofOf(follow())
    expect(proof).toMatchObject({ user: vera, isKnown: true, account: { userId: "vera" } })
  })

  it.each([
    ["sec-purpose", "prefetch"],
    ["sec-purpose", "prefetch;prerender"],
    ["purpose", "prefetch"],
  ])("MAIL-16: does not consume the link for a request with %s: %s", async (name, value) => {
    const { follow, request, mailbox, steps } = setUp()
    await request()
    const reply = await follow(mailbox.lastLink(), { headers: { [name]: value } })
    expect(reply).toEqual({ status: 503, headers: { "cache-control": "no-store" } })
    expect(steps).not.toContain("useVerificationToken")
    await proofOf(follow())
  })

  it("KEY-04: accepts a link that was sent before the secret was rotated", async () => {
    const before = setUp({ secrets: [oldSecret] })
    await before.request()
    const { press } = setUp({ stored: before.stored, secrets: [secret, oldSecret] })
    await proofOf(press(before.mailbox.lastLink()))
  })

  it("accepts only links with the provider's own secret, if it has one", async () => {
    const own = setUp({ provider: { secret: "of the provider" } })
    await own.request()
    const other = setUp({ stored: own.stored })
    expect((await failureOf(other.press(own.mailbox.lastLink()))).error.type).toBe("Verification")
    await proofOf(own.follow())
  })

  it("calls useVerificationToken with the identifier and the hash, or undefined without an address", async () => {
    const { follow, press, request, mailbox, stored, sent } = setUp()
    await request()
    const link = new URL(mailbox.lastLink())
    link.searchParams.delete("email")
    await failureOf(press(link.href))
    await proofOf(follow())
    const token = sha256(`${sent[0]?.token}${secret}`)
    const uses = stored.calls.filter(({ method }) => method === "useVerificationToken").map(({ args }) => args[0])
    expect(uses[0]).toStrictEqual({ identifier: undefined, token })
    expect(uses.at(-1)).toStrictEqual({ identifier: email, token })
  })

  it("uses GET without a CSRF token, and POST with one", () => {
    const { provider } = setUp()
    expect([emailMethod.callbackMethods(provider), emailMethod.isCallbackOurForm]).toEqual([["GET", "POST"], true])
  })
})
