import { createHash, randomBytes } from "node:crypto"
import { fixedClock, memoryAdapter, type TestHost, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { openElsewhere } from "../setup/mail-setup.js"
import { at, isTooMany, only, openLimited, somewhere } from "../setup/rate-limit-setup.js"
import { type Answer, get, post } from "../setup/requests.js"
import { sessionCookie } from "../setup/sign-ins.js"

const email = "v@corp.test"
const address = "198.51.100.7"
const sent = "https://app.test/auth/verify-request?provider=email&type=email"

afterEach(() => {
  vi.unstubAllEnvs()
})

const strategies = [
  ["token", { session: { strategy: "jwt" } }],
  ["stored", { session: { strategy: "database" } }],
] as const satisfies readonly (readonly [string, TestHostOptions])[]

const ask = (host: TestHost, clientAddress: string, to = email) =>
  post(at(host, clientAddress), "/auth/signin/email", { email: to })

describe("requests for emails", () => {
  it.each(strategies)(
    "CSRF-17: send one mail for two requests at once, with the same answer to both (%s sessions)",
    async (_, options) => {
      vi.stubEnv("NODE_ENV", "production")
      const host = openLimited(undefined, options)
      const browser = at(host, address)
      await browser.csrfToken()
      const answers = await Promise.all([1, 2].map(() => post(browser, "/auth/signin/email", { email })))
      expect(host.mailbox.messages).toHaveLength(1)
      expect(answers.map(({ status, location, text }) => [status, location, text])).toEqual([
        [302, sent, ""],
        [302, sent, ""],
      ])
      await browser.open(host.mailbox.lastLink())
      expect(await browser.session()).not.toBeNull()
    },
  )

  it("CSRF-17: send another mail after the interval, and at once to another address", async () => {
    using clock = fixedClock()
    const host = openLimited({})
    await ask(host, address)
    await ask(host, address)
    await ask(host, address, "w@corp.test")
    clock.advance({ seconds: 30 })
    await ask(host, address)
    expect(host.mailbox.messages.map(({ to }) => to)).toEqual([email, "w@corp.test", email])
  })

  it("RATE-06: are limited per mailbox across all networks, with the usual answer", async () => {
    const host = openLimited({ budgets: { mailRepeats: false } })
    const answers = []
    for (let n = 0; n < 50; n++) {
      const to = n % 2 ? `v+${n}@corp.test` : email
      answers.push(await post(somewhere(host, n), "/auth/signin/email", { email: to }))
    }
    expect(host.mailbox.messages).toHaveLength(5)
    const namesOf = ({ cookies }: Answer) =>
      [...cookies.keys()].map((name) => name.replace(/mail\.\w{9}.{10}$/, "mail"))
    const shown = answers.map((answer) => [answer.status, answer.location, answer.text, namesOf(answer)])
    expect(new Set(shown.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(host.logger.warnings).toEqual(Array(45).fill("mail-withheld"))
  })

  it("RATE-06: are limited per client across all addresses", async () => {
    const host = openLimited(only("mailsPerNetwork", 5))
    const answers = []
    for (let n = 0; n < 50; n++) answers.push(await ask(host, address, `user${n}@corp.test`))
    expect(host.mailbox.messages).toHaveLength(5)
    expect(answers.every(({ status, location }) => status === 302 && location === sent)).toBe(true)
    await ask(host, "198.51.100.8", "user9@corp.test")
    expect(host.mailbox.messages).toHaveLength(6)
  })

  it("RATE-08: are limited per mailbox only if the client's address is unknown", async () => {
    const host = openLimited({ budgets: { mailsPerNetwork: { limit: 1, windowSeconds: 600 } } })
    for (let n = 0; n < 20; n++) await post(host.newBrowser(), "/auth/signin/email", { email: `user${n}@corp.test` })
    expect(host.mailbox.messages).toHaveLength(20)
    for (let n = 0; n < 20; n++) await post(host.newBrowser(), "/auth/signin/email", { email: "user1@corp.test" })
    expect(host.mailbox.messages).toHaveLength(20)
  })

  it("ENUM-01: are limited equally for known and unknown addresses", async () => {
    const counted = async (isKnown: boolean) => {
      const host = openLimited(only("mailsPerAddress", 2))
      if (isKnown) await host.adapter?.createUser?.({ id: "u-v", email, emailVerified: new Date() })
      const answers = []
      for (let n = 0; n < 4; n++) answers.push(await ask(host, address))
      const shown = answers.map(({ status, location, text }) => [status, location, text])
      return { shown, mails: host.mailbox.messages.length }
    }
    expect(await counted(true)).toEqual(await counted(false))
  })

  it.each([
    ["mailsPerAddress", 2],
    ["mailRepeats", 1],
  ] as const)(
    "RATE-06: reach users where they signed in before, in spite of requests from elsewhere (%s)",
    async (name, limit) => {
      using clock = fixedClock()
      const host = openLimited(only(name, limit))
      await ask(host, "203.0.113.1")
      await openElsewhere(at(host, "203.0.113.1"), host.mailbox.lastLink())
      clock.advance({ seconds: 60 })
      for (let n = 0; n < 10; n++) await ask(host, `198.51.100.${n}`)
      const before = host.mailbox.messages.length
      await ask(host, "203.0.113.1")
      expect(host.mailbox.messages).toHaveLength(before + 1)
    },
  )

  it("CSRF-17: send one mail for each email provider that is asked", async () => {
    using clock = fixedClock()
    const host = openLimited({}, { providers: [testEmail({ id: "link" }), testEmail({ id: "code" })] })
    const browser = at(host, address)
    const request = (id: string) => post(browser, `/auth/signin/${id}`, { email })
    for (const id of ["link", "code", "link", "code"]) await request(id)
    expect(host.mailbox.messages).toHaveLength(2)
    clock.advance({ seconds: 30 })
    for (const id of ["link", "code", "link", "code"]) await request(id)
    expect(host.mailbox.messages).toHaveLength(4)
    clock.advance({ seconds: 30 })
    for (const id of ["link", "code"]) await request(id)
    expect(host.mailbox.messages).toHaveLength(5)
  })

  it("MAIL-20: do not count if the mail could not be sent", async () => {
    const host = openLimited({ budgets: { mailsPerAddress: { limit: 1, windowSeconds: 60 } } })
    host.mailbox.refuseNext()
    expect((await ask(host, address)).location).toContain("error=EmailSignin")
    await ask(host, address)
    expect(host.mailbox.messages).toHaveLength(1)
  })

  it("MAIL-21: do not count if the app refused the mail", async () => {
    const state = { isOpen: false }
    const host = openLimited({}, { callbacks: { signIn: () => state.isOpen } })
    await ask(host, address)
    state.isOpen = true
    await ask(host, address)
    expect(host.mailbox.messages).toHaveLength(1)
  })
})

describe("guessing the token of a mail", () => {
  const openCodes = (rateLimit: Parameters<typeof openLimited>[0], options: TestHostOptions = {}) =>
    openLimited(rateLimit, {
      providers: [testEmail({ generateVerificationToken: () => "483920", opening: "get" })],
      ...options,
    })

  const guess = (host: TestHost, clientAddress: string, token: string) =>
    get(at(host, clientAddress), `/auth/callback/email?${new URLSearchParams({ email, token })}`)

  it.each(strategies)("is limited like a password across all networks (%s sessions)", async (_, options) => {
    vi.stubEnv("NODE_ENV", "production")
    const host = openCodes(undefined, options)
    await ask(host, "203.0.113.1")
    const answers = []
    for (let n = 0; n < 150; n++) answers.push(await guess(host, `198.51.100.${n}`, String(100_000 + n)))
    expect(answers.map(isTooMany)).toEqual([...Array(100).fill(false), ...Array(50).fill(true)])
    const right = await guess(host, "198.51.101.1", "483920")
    expect([isTooMany(right), right.cookies.has(sessionCookie)]).toEqual([true, false])
  })

  it("is limited more for one network", async () => {
    const host = openCodes({})
    const answers = []
    for (let n = 0; n < 12; n++) answers.push(await guess(host, address, String(100_000 + n)))
    expect(answers.map(isTooMany)).toEqual([...Array(10).fill(false), true, true])
    expect(isTooMany(await guess(host, "198.51.100.8", "1"))).toBe(false)
  })

  it("does not use up the right token while it is limited", async () => {
    using clock = fixedClock()
    const host = openCodes(only("failuresPerAccount", 2))
    await ask(host, "203.0.113.1")
    for (let n = 0; n < 5; n++) await guess(host, address, String(n))
    expect(isTooMany(await guess(host, "203.0.113.1", "483920"))).toBe(true)
    clock.advance({ seconds: 60 })
    expect((await guess(host, "203.0.113.1", "483920")).cookies.has(sessionCookie)).toBe(true)
  })

  it("does not lock out a user of a link that cannot be guessed", async () => {
    const host = openHost({ providers: [testEmail({ opening: "get" })], rateLimit: {} })
    await ask(host, "203.0.113.1")
    for (let n = 0; n < 150; n++) await guess(host, `198.51.100.${n}`, String(n))
    await openElsewhere(at(host, "203.0.113.1"), host.mailbox.lastLink())
    expect(host.events.names()).toContain("signIn")
  })

  it("does not count a prefetch", async () => {
    const host = openCodes(only("failuresPerNetworkAndAccount", 1))
    await ask(host, address)
    const url = `/auth/callback/email?${new URLSearchParams({ email, token: "483920" })}`
    for (let n = 0; n < 3; n++) await get(at(host, address), url, { "sec-purpose": "prefetch" })
    expect((await guess(host, address, "483920")).cookies.has(sessionCookie)).toBe(true)
  })
})

describe("guessing a code at another email provider", () => {
  const code = "483920"
  /** Hosts with the same secret share their counters. */
  const newSecret = () => randomBytes(32).toString("hex")

  /** Links at `link` and at `other`, codes at `code` and at `pin`. */
  function openSeveral(rateLimit: Parameters<typeof openLimited>[0], options: TestHostOptions = {}) {
    const secret = newSecret()
    const adapter = memoryAdapter()
    const generateVerificationToken = () => code
    const opening = "get"
    const providers = [
      testEmail({ id: "link", opening }),
      testEmail({ id: "other", opening }),
      testEmail({ id: "code", opening, generateVerificationToken }),
      testEmail({ id: "pin", opening, generateVerificationToken }),
    ]
    const host = openLimited(rateLimit, { providers, adapter, secret, ...options })
    const request = (id: string) => post(at(host, "203.0.113.1"), `/auth/signin/${id}`, { email })
    const use = (id: string, token: string, clientAddress = "203.0.113.1") =>
      get(at(host, clientAddress), `/auth/callback/${id}?${new URLSearchParams({ email, token })}`)
    /** Stores a token as the contract says, as Auth.js and hosts of their own do. */
    const store = (token: string) =>
      adapter.createVerificationToken({
        identifier: email,
        token: createHash("sha256").update(`${token}${secret}`).digest("hex"),
        expires: new Date(Date.now() + 60_000),
      })
    return { host, request, use, store }
  }

  const isSignedIn = ({ cookies }: Answer) => cookies.has(sessionCookie)

  it.each(strategies)("MAIL-17: accepts it only where it was sent (%s sessions)", async (_, options) => {
    const { request, use } = openSeveral({}, options)
    await request("code")
    for (const id of ["link", "other", "pin"]) expect(isSignedIn(await use(id, code))).toBe(false)
    expect(isSignedIn(await use("code", code))).toBe(true)
    expect(isSignedIn(await use("code", code))).toBe(false)
  })

  it.each(strategies)("MAIL-17: accepts a link only where it was sent (%s sessions)", async (_, options) => {
    const { host, request, use } = openSeveral({}, options)
    await request("link")
    const token = new URL(host.mailbox.lastLink()).searchParams.get("token") ?? ""
    expect(isSignedIn(await use("other", token))).toBe(false)
    expect(isSignedIn(await use("link", token))).toBe(true)
  })

  it.each(strategies)(
    "RATE-05: limits guesses where no codes are sent, and leaves the code and its own guesses (%s sessions)",
    async (_, options) => {
      vi.stubEnv("NODE_ENV", "production")
      const { request, use } = openSeveral(undefined, options)
      await request("code")
      const answers = []
      for (let n = 0; n < 120; n++) answers.push(await use("link", String(100_000 + n), `198.51.100.${n}`))
      expect(answers.filter(isTooMany)).toHaveLength(20)
      expect(isSignedIn(await use("code", code))).toBe(true)
    },
  )

  it("RATE-05: limits guesses of a code that Auth.js sent", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const { use, store } = openSeveral(undefined)
    await store(code)
    for (let n = 0; n < 100; n++) await use("link", String(100_000 + n), `198.51.100.${n}`)
    const late = await use("link", code, "198.51.101.1")
    expect([isTooMany(late), isSignedIn(late)]).toEqual([true, false])
    expect(isSignedIn(await use("code", code))).toBe(true)
  })

  it.each([
    ["code", "a code", code],
    ["link", "a link", "5f".repeat(32)],
    ["link", "a link of the host's own", "0b6e5d0c-55b4-4e7a-9d3f-0d9f6f6b9c11"],
  ])("MAIL-14: accepts at %s once what was stored in the contract's format: %s", async (id, _, token) => {
    const { use, store } = openSeveral({})
    await store(token)
    expect([isSignedIn(await use(id, token)), isSignedIn(await use(id, token))]).toEqual([true, false])
  })

  it("stores the contract's hash if there is only one email provider, so that an app can go back", async () => {
    const secret = newSecret()
    const adapter = memoryAdapter()
    const host = openLimited({}, { adapter, secret })
    await ask(host, address)
    const token = new URL(host.mailbox.lastLink()).searchParams.get("token") ?? ""
    const hash = createHash("sha256").update(`${token}${secret}`).digest("hex")
    expect(await adapter.useVerificationToken({ identifier: email, token: hash })).toMatchObject({ identifier: email })
  })

  it.each([
    ["added", ["link"], ["link", "code"]],
    ["removed", ["link", "code"], ["link"]],
  ])("MAIL-14: accepts a link after another email provider was %s", async (_, before, after) => {
    const shared = { adapter: memoryAdapter(), secret: newSecret() }
    const open = (ids: readonly string[]) =>
      openLimited({}, { ...shared, providers: ids.map((id) => testEmail({ id, opening: "get" })) })
    const first = open(before)
    await post(at(first, address), "/auth/signin/link", { email })
    const { pathname, search } = new URL(first.mailbox.lastLink())
    expect(isSignedIn(await get(at(open(after), address), `${pathname}${search}`))).toBe(true)
  })
})

describe("the code of a mail whose guesses are used", () => {
  it.each(strategies)("CODE-10: lets a stranger use up no budget of the address (%s sessions)", async (_, options) => {
    const host = openLimited(only("failuresPerAccount", 6), { ...options, providers: [testEmail({ code: true })] })
    const stranger = at(host, address)
    await stranger.signIn("email", { email })
    for (let n = 0; n < 12; n++) {
      const browser = somewhere(host, n)
      for (const { name, value } of stranger.cookies.list()) browser.cookies.set(name, value)
      const wrong = String((Number(host.mailbox.lastCode()) + 1) % 1_000_000).padStart(6, "0")
      await post(browser, "/auth/callback/email", { code: wrong })
    }
    const owner = at(host, "203.0.113.7")
    await owner.signIn("email", { email })
    await post(owner, "/auth/callback/email", { code: host.mailbox.lastCode() })
    expect(await owner.session()).not.toBeNull()
  })
})
