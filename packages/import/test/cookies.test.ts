import { listSessions } from "@latchkey/core/sessions"
import { fixedClock, type TestHostOptions } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { nextAuthV4 } from "../src/next-auth-v4.js"
import { reader } from "../src/reader.js"
import { day, type FixtureCookie, readFixture, until } from "./setup/fixtures.js"
import { kinds, openMoving, plant, sessionOf, storedKinds } from "./setup/moving-setup.js"
import { luciaMade, nextAuth } from "./setup/sources.js"

const name = "__Secure-next-auth.session-token"
const cookies = { sessionToken: { name } }
const [{ value: token = "" } = { value: "" }] = nextAuth.cookies

describe.each(kinds)("MIG-07: our cookie and that of another library (%s)", (kind) => {
  const accept = [nextAuth.source()]

  it("with the same name: the session goes on, and the name is ours from then on", async () => {
    using _ = fixedClock(day)
    const { host } = await openMoving(kind, { accept, userId: nextAuth.userId, cookies })
    const first = await sessionOf(host, `${name}=${token}`)
    expect(first.email).toBe("ada@example.com")
    expect(first.set.filter((line) => line.startsWith(name))).toHaveLength(1)
    const [own = ""] = (first.set.find((line) => line.startsWith(`${name}=`)) ?? "").split(";", 1)
    expect(own).not.toContain(token)
    expect((await sessionOf(host, own)).email).toBe("ada@example.com")
    expect(host.logger.errors).toEqual([])
  })

  it("both valid: ours wins, and theirs is left alone", async () => {
    using _ = fixedClock(day)
    const graces = reader({ cookie: "sid", until, read: () => ({ subject: "user-2", email: "grace@example.com" }) })
    const { host, adapter } = await openMoving(kind, { accept: [graces] })
    await adapter.createUser({ id: "user-2", email: "grace@example.com", name: "Grace", emailVerified: null })
    expect((await sessionOf(host, "sid=s-1")).email).toBe("grace@example.com")
    const ada = host.newBrowser()
    await ada.signIn("cred", { name: "ada" })
    const own = ada.cookies.list().find((cookie) => cookie.name.endsWith("session-token"))
    const { set, email } = await sessionOf(host, `sid=s-2; ${own?.name}=${own?.value}`)
    expect(email).toBe("ada@example.com")
    expect(host.logger.records.filter((record) => record.kind === "session-moved")).toHaveLength(1)
    expect(set.filter((line) => line.startsWith("sid"))).toEqual([])
  })

  it("ours broken: theirs is taken over", async () => {
    using _ = fixedClock(day)
    const { host } = await openMoving(kind, { accept, userId: nextAuth.userId })
    const broken = "__Secure-authjs.session-token=broken"
    expect((await sessionOf(host, `${broken}; ${nextAuth.header}`)).email).toBe("ada@example.com")
  })
})

describe("MIG-07: functions for servers", () => {
  const graces = reader({ cookie: "sid", until, read: () => ({ subject: "user-2", email: "grace@example.com" }) })

  async function openBoth(callbacks?: NonNullable<TestHostOptions["callbacks"]>) {
    const { host, adapter } = await openMoving("tracked jwt", { accept: [graces], ...(callbacks && { callbacks }) })
    await adapter.createUser({ id: "user-2", email: "grace@example.com", name: "Grace", emailVerified: null })
    const list = async (cookie: string) => {
      const found = await listSessions(new Request("https://app.test/", { headers: { cookie } }), host.config)
      return found.length
    }
    return { host, list }
  }

  it("take ours in several cookies, and not the one of another library beside it", async () => {
    using _ = fixedClock(day)
    const { host, list } = await openBoth({ jwt: ({ token }) => ({ ...token, notes: "a note ".repeat(800) }) })
    const [first, second] = [host.newBrowser(), host.newBrowser()]
    for (const browser of [first, second]) await browser.signIn("cred", { name: "ada" })
    const own = first.cookies.list().filter(({ name }) => name.includes("session-token"))
    expect(own.length).toBeGreaterThan(1)
    const pairs = own.map(({ name, value }) => `${name}=${value}`)
    expect([await list(pairs.join("; ")), await list(["sid=s-1", ...pairs].join("; "))]).toEqual([2, 2])
  })

  it("take the one of another library beside ours that does not open", async () => {
    using _ = fixedClock(day)
    const { host, list } = await openBoth()
    expect((await sessionOf(host, "sid=s-1")).email).toBe("grace@example.com")
    const broken = "__Secure-authjs.session-token=broken"
    expect([await list("sid=s-1"), await list(`${broken}; sid=s-1`)]).toEqual([1, 1])
  })
})

describe("MIG-10: a cookie of another library", () => {
  const chunked = readFixture<{ readonly chunked: { readonly cookies: readonly FixtureCookie[] } }>("next-auth@4.24.15")

  it("that a neighboring site planted too is tried with the others, and all are cleared", async () => {
    using _ = fixedClock(day)
    const { host } = await openMoving("jwt", { accept: [nextAuth.source()], userId: nextAuth.userId })
    const planted = "next-auth.session-token=planted"
    const { email, set } = await sessionOf(host, `${planted}; ${nextAuth.header}; ${planted}2`)
    expect(email).toBe("ada@example.com")
    const cleared = set.filter((line) => line.startsWith("next-auth.session-token=;"))
    expect(cleared.map((line) => /Domain=[^;]+/.exec(line)?.[0] ?? "")).toEqual(["", "Domain=app.test"])
  })

  it("is cleared with the domain that the app names", async () => {
    using _ = fixedClock(day)
    const accept = [nextAuth.source({ domain: ".app.test", cookie: "next-auth.session-token" })]
    const { host } = await openMoving("jwt", { accept, userId: nextAuth.userId })
    const { set } = await sessionOf(host, nextAuth.header)
    expect(set.find((line) => line.startsWith("next-auth.session-token=;"))).toContain("Domain=.app.test")
  })

  it("in parts with a hole is nobody's", async () => {
    using _ = fixedClock(day)
    const { host } = await openMoving("jwt", { accept: [nextAuth.source()], userId: nextAuth.userId })
    const [first, second] = chunked.chunked.cookies
    const hole = `${first?.name}=${first?.value}; next-auth.session-token.2=${second?.value}`
    expect((await sessionOf(host, hole)).email).toBeNull()
    expect((await sessionOf(host, `${second?.name}=${second?.value}`)).email).toBeNull()
  })

  it("is tried at most sixteen times", async () => {
    using _ = fixedClock(day)
    const read: string[] = []
    const find = (id: string) => {
      read.push(id)
      return null
    }
    const { host } = await openMoving("jwt", { accept: [luciaMade.source({ find })] })
    const many = Array.from({ length: 200 }, (_each, n) => `auth_session=planted-by-a-neighbor-${n}`)
    await sessionOf(host, many.join("; "))
    expect(read).toHaveLength(16)
  })
})

describe("MIG-12: nothing is stored", () => {
  it.each(storedKinds)("where the answer cannot set cookies: the session is shown (%s)", async (kind) => {
    using _ = fixedClock(day)
    const { host, adapter } = await openMoving(kind, { accept: [nextAuth.source()], userId: nextAuth.userId })
    // A server component, whose answer sets nothing.
    const read = () => plant(host.newBrowser({ canSetCookies: false }), nextAuth.cookies).session()
    for (let n = 0; n < 2; n++) expect((await read())?.user?.email).toBe("ada@example.com")
    const writes = ["createSession", "createSessionDetail", "consumeOnce"]
    expect(adapter.calls.filter(({ method }) => writes.includes(method))).toEqual([])
    const browser = plant(host.newBrowser(), nextAuth.cookies)
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    expect((await read())?.user?.email).toBe("ada@example.com")
    await browser.signOut()
    expect(await read()).toBeNull()
  })
})

it("a request without a name of another library asks the store for nothing more", async () => {
  using _ = fixedClock(day)
  const { host, adapter } = await openMoving("database", { accept: [nextAuthV4({ secret: nextAuth.secret, until })] })
  const before = adapter.calls.length
  expect(await sessionOf(host, "theme=dark; other=1")).toEqual({ email: null, set: [] })
  expect(adapter.calls.length - before).toBe(0)
})
