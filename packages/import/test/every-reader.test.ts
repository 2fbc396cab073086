import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { toHeader } from "./setup/fixtures.js"
import { made } from "./setup/made-sessions.js"
import { openMoving, ownCookie, plant, sessionOf, storedKinds } from "./setup/moving-setup.js"

const ada = "ada@example.com"
const secret = "the secret that all processes have, 0123456789"

describe.each(Object.entries(made))("a session of %s", (_name, { cookies, userId, at, source }) => {
  const header = toHeader(cookies)

  /** Two processes on one store. */
  async function openTwo(kind: (typeof storedKinds)[number]) {
    const adapter = memoryAdapter()
    // Each process has a reader of its own.
    const open = () => openMoving(kind, { accept: [source()], userId, adapter, secret })
    return { adapter, first: (await open()).host, second: (await open()).host }
  }

  it.each(storedKinds)("MIG-01: is nobody's after a sign-out in another process (%s)", async (kind) => {
    using _ = fixedClock(at)
    const { first, second } = await openTwo(kind)
    const browser = plant(first.newBrowser(), cookies)
    expect((await browser.session())?.user?.email).toBe(ada)
    await browser.signOut()
    for (const host of [second, first]) {
      const after = await sessionOf(host, header)
      expect([after.email, ownCookie(after.set)]).toEqual([null, ""])
    }
  })

  it.each(storedKinds)("MIG-07: counts only while ours does not open (%s)", async (kind) => {
    using _ = fixedClock(at)
    const { first, second } = await openTwo(kind)
    const ours = ownCookie((await sessionOf(first, header)).set)
    const both = await sessionOf(second, `${ours}; ${header}`)
    expect(both.email).toBe(ada)
    expect(second.logger.records.filter((record) => record.kind === "session-moved")).toEqual([])
    const broken = `${ours.split("=", 1)[0]}=${"x".repeat(40)}`
    expect((await sessionOf(second, `${broken}; ${header}`)).email).toBe(ada)
  })

  it.each(storedKinds)("MIG-12: becomes one session at ten first requests in two processes (%s)", async (kind) => {
    using _ = fixedClock(at)
    const { adapter, first, second } = await openTwo(kind)
    const hosts = Array.from({ length: 10 }, (_each, n) => (n % 2 === 0 ? first : second))
    const answers = await Promise.all(hosts.map((host) => sessionOf(host, header)))
    expect(answers.map(({ email }) => email)).toEqual(hosts.map(() => ada))
    const records = [first, second].flatMap(({ logger }) => logger.records)
    expect(records.filter((record) => record.kind === "session-moved")).toHaveLength(1)
    const rows = adapter.calls.filter(({ method }) => method === "createSession" || method === "createSessionDetail")
    expect(rows).toHaveLength(kind === "jwt" ? 0 : 1)
  })
})
