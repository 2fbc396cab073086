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
} from "../../../test/email-setup.js"
import { failureOf } from "../../../test/failure-of.js"
import { emailMethod } from "./email.js"

describe("emailMethod: following a link, refused", () => {
  /** A link that was sent, with its query changed. */
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
  ])("refuses %s, and the link still works", async (_, changes) => {
    const { follow, link, mailbox } = await changed(changes)
    const { error } = await failureOf(follow(link))
    expect([error.type, error.cause]).toEqual(["Verification", { provider: "email" }])
    expect((await proofOf(follow(mailbox.lastLink()))).proof.account.providerAccountId).toBe(email)
  })

  it.each([[{ token: null }], [{ token: "" }]])(
    "MAIL-13: refuses a link with %j as the contract says",
    async (changes) => {
      const { follow, link, steps } = await changed(changes)
      expect((await failureOf(follow(link))).error.type).toBe("CallbackRouteError")
      expect(steps).not.toContain("useVerificationToken")
    },
  )

  it("LINK-05, ADP-13: is not the user with a look-alike address, however the store compares", async () => {
    const lookAlike = { id: "stranger", email: "v\u00E9ra@corp.test", emailVerified: null }
    const { request, follow } = setUp({ adapter: { getUserByEmail: async () => lookAlike } })
    await request()
    expect((await proofOf(follow())).proof).toMatchObject({
      isKnown: false,
      user: { email, id: expect.not.stringMatching("stranger") },
    })
  })

  it("MAIL-14: refuses a link that was followed", async () => {
    const { follow, request } = setUp()
    await request()
    await proofOf(follow())
    expect((await failureOf(follow())).error.type).toBe("Verification")
  })

  it("MAIL-14: lets one of many parallel followers in", async () => {
    const { follow, request } = setUp()
    await request()
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => follow()))
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })

  it("MAIL-15: refuses a link that has expired, to the second, and removes it", async () => {
    using clock = fixedClock()
    const { follow, request, stored } = setUp({ provider: { maxAge: 600 } })
    await request()
    clock.advance({ seconds: 600 })
    expect((await failureOf(follow())).error.type).toBe("Verification")
    const { args } = stored.calls.find(({ method }) => method === "useVerificationToken") ?? { args: [] }
    expect(await stored.useVerificationToken(args[0] as { identifier: string; token: string })).toBeNull()
    await request()
    clock.advance({ seconds: 599 })
    await proofOf(follow())
  })

  it.each(["no date", null, undefined, Number.NaN, {}])(
    "ADP-11: takes a record that expires at %j for expired",
    async (expires) => {
      const { follow, request } = setUp({
        adapter: { useVerificationToken: async (given) => ({ ...given, expires: expires as Date }) },
      })
      await request()
      expect((await failureOf(follow())).error.type).toBe("Verification")
    },
  )

  it("MAIL-13: refuses a record of another address, however the store found it", async () => {
    const { follow, request } = setUp({
      adapter: {
        useVerificationToken: async ({ token }) => ({
          token,
          identifier: "walt@corp.test",
          expires: new Date(2 ** 42),
        }),
      },
    })
    await request()
    expect((await failureOf(follow())).error.type).toBe("Verification")
  })

  it("ENUM-06: says the same of links that expired, were used, or never existed", async () => {
    using clock = fixedClock()
    const { follow, request, mailbox } = setUp()
    await request()
    const types = [(await failureOf(follow(`${mailbox.lastLink()}x`))).error]
    await proofOf(follow())
    types.push((await failureOf(follow())).error)
    await request()
    clock.advance({ days: 2 })
    types.push((await failureOf(follow())).error)
    expect(types.map(({ type, cause }) => [type, cause])).toEqual(
      types.map(() => ["Verification", { provider: "email" }]),
    )
  })

  it("KEY-04: refuses a link that was made with a secret no longer in use", async () => {
    const before = setUp({ secrets: [oldSecret] })
    await before.request()
    const { follow } = setUp({ stored: before.stored })
    expect((await failureOf(follow(before.mailbox.lastLink()))).error.type).toBe("Verification")
  })
})

describe("emailMethod: following a link", () => {
  it("proves an address, of a known user and of an unknown one, and asks for no callback URL of its own", async () => {
    const { follow, request, stored } = setUp()
    await request()
    expect(await follow()).toStrictEqual({
      proof: {
        candidate: { id: expect.any(String), email, emailVerified: null },
        user: { id: expect.any(String), email, emailVerified: null },
        knownUserId: undefined,
        dependsOnSession: false,
        isKnown: false,
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
  ])("MAIL-16: does not spend the link for a request with %s: %s", async (name, value) => {
    const { follow, request, mailbox, steps } = setUp()
    await request()
    const reply = await follow(mailbox.lastLink(), { headers: { [name]: value } })
    expect(reply).toEqual({ status: 503, headers: { "cache-control": "no-store" } })
    expect(steps).not.toContain("useVerificationToken")
    await proofOf(follow())
  })

  it("KEY-04: accepts a link that was sent before the secret was replaced", async () => {
    const before = setUp({ secrets: [oldSecret] })
    await before.request()
    const { follow } = setUp({ stored: before.stored, secrets: [secret, oldSecret] })
    await proofOf(follow(before.mailbox.lastLink()))
  })

  it("accepts a link of a provider with a secret of its own, and that of no other", async () => {
    const own = setUp({ provider: { secret: "of the provider" } })
    await own.request()
    const other = setUp({ stored: own.stored })
    expect((await failureOf(other.follow(own.mailbox.lastLink()))).error.type).toBe("Verification")
    await proofOf(own.follow())
  })

  it("asks for the token in the contract's way, and leaves an absent address undefined", async () => {
    const { follow, request, mailbox, stored, sent } = setUp()
    await request()
    const link = new URL(mailbox.lastLink())
    link.searchParams.delete("email")
    await failureOf(follow(link.href))
    await proofOf(follow())
    const token = sha256(`${sent[0]?.token}${secret}`)
    const uses = stored.calls.filter(({ method }) => method === "useVerificationToken").map(({ args }) => args[0])
    expect(uses).toStrictEqual([
      { identifier: undefined, token },
      { identifier: email, token },
    ])
  })

  it("comes by GET, from a mail and not from a form of ours", () => {
    const { provider } = setUp()
    expect([emailMethod.callbackMethod(provider), emailMethod.isCallbackOurForm]).toEqual(["GET", false])
  })
})
