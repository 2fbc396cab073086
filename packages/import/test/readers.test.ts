import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { readFixture } from "./setup/fixtures.js"
import { type MadeSession, made } from "./setup/made-sessions.js"
import { openMoving, sessionOf, storedKinds } from "./setup/moving-setup.js"

/** A `Cookie` header with one character of the first cookie changed. */
function changed({ cookies }: MadeSession, place: number): string {
  return cookies
    .map(({ name, value }, n) => {
      if (n !== 0) return `${name}=${value}`
      const at = Math.floor((value.length - 8) * place)
      const other = value[at] === "A" ? "B" : "A"
      return `${name}=${value.slice(0, at)}${other}${value.slice(at + 1)}`
    })
    .join("; ")
}

const headerOf = ({ cookies }: MadeSession) => cookies.map(({ name, value }) => `${name}=${value}`).join("; ")

describe.each(Object.entries(made))("a session of %s", (_name, session) => {
  it.each(["none", ...storedKinds] as const)("is taken over, with our sessions of kind %s", async (kind) => {
    using _ = fixedClock(session.at)
    const { host } = await openMoving(kind, { accept: [session.source()], userId: session.userId })
    const { email, set } = await sessionOf(host, headerOf(session))
    expect(email).toBe(kind === "none" ? session.email : "ada@example.com")
    for (const { name } of session.cookies) expect(set.some((line) => line.startsWith(`${name}=;`))).toBe(true)
    expect(host.logger.errors).toEqual([])
  })

  it("MIG-02: is nobody's with one character changed", async () => {
    using _ = fixedClock(session.at)
    const { host } = await openMoving("none", { accept: [session.source()] })
    for (const place of session.places ?? [0.2, 0.4, 0.6, 0.8, 1]) {
      const { set } = await sessionOf(host, changed(session, place))
      expect(set.filter((line) => line.includes("authjs.session-token"))).toEqual([])
    }
  })

  it("MIG-02: is nobody's when it is over", async () => {
    if (session.over === undefined) return
    using _ = fixedClock(session.over)
    const { host } = await openMoving("none", { accept: [session.source()] })
    const { set } = await sessionOf(host, headerOf(session))
    expect(set.filter((line) => line.includes("authjs.session-token"))).toEqual([])
    expect(set.length).toBeGreaterThan(0)
  })

  it("MIG-02: is nobody's with another secret or key, and is kept", async () => {
    if (!session.other) return
    using _ = fixedClock(session.at)
    const { host } = await openMoving("none", { accept: [session.other()] })
    expect(await sessionOf(host, headerOf(session))).toEqual({ email: null, set: [] })
  })

  it("MIG-15: is nobody's without its user", async () => {
    using _ = fixedClock(session.at)
    const { host } = await openMoving("jwt", { accept: [session.source()], userId: "somebody-else" })
    expect(await sessionOf(host, headerOf(session))).toEqual({ email: null, set: [] })
    expect(host.logger.warnings).toContain("accept-user-unknown")
  })
})

it("the fixtures are the ones that the readers are tested with", () => {
  expect(readFixture("next-auth@4.24.15")["version"]).toBe("4.24.15")
})
