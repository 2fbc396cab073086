import { Auth } from "@latchkey/core"
import type { AcceptedSource } from "@latchkey/core/types"
import { fixedClock, testHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { lucia } from "../src/lucia.js"
import { nextAuthV4 } from "../src/next-auth-v4.js"
import { day, until } from "./setup/fixtures.js"
import { openMoving, sessionOf } from "./setup/moving-setup.js"
import { luciaMade, nextAuth } from "./setup/sources.js"

/** The sentence with which a configuration is refused, or null. */
async function mistakeOf(accept: readonly AcceptedSource[]): Promise<string | null> {
  const host = testHost({ session: { accept } })
  const answer = await Auth(new Request("https://app.test/auth/session"), host.config)
  if (answer.status === 200) return null
  return String(host.logger.errors[0]?.message)
}

const secret = "a secret of another library, 0123456789"
const fine = { secret, until }

describe("MIG-03: a reader", () => {
  it.each([
    [
      "is missing",
      undefined,
      "secret: missing. Pass the secret that the library had. If it is in a file such as .env, load that first",
    ],
    ["is empty", "", "secret: missing"],
    ["is an empty list", [], "secret: missing"],
    ["is short", "keyboard cat", "secret: is shorter than 32 characters"],
    ["is short in a list", [secret, "short"], "secret: is shorter than 32 characters"],
    ["is an example", "your-secret-goes-here-your-secret-goes-here", "secret: is a placeholder"],
    ["is repeated", "abababababababababababababababababab", "secret: is made of a few repeated characters"],
  ])("is refused whose secret %s", async (_, given, expected) => {
    using _clock = fixedClock(day)
    expect(await mistakeOf([nextAuthV4({ ...fine, secret: given })])).toContain(`session.accept[0].${expected}`)
  })

  it("says how users of a short secret stay signed in", async () => {
    using _ = fixedClock(day)
    const sentence = await mistakeOf([nextAuthV4({ ...fine, secret: "keyboard cat" })])
    expect(sentence).toContain("Those who visit while the old app signs with a new one stay signed in")
  })

  it("is refused without a function that finds the sessions", async () => {
    using _ = fixedClock(day)
    expect(await mistakeOf([lucia({ until })])).toContain("session.accept[0].adapter: missing")
  })

  it.each([
    [{ owner: "email" }, "owner"],
    [{ subject: "sub" }, "subject"],
    [{ allow: true }, "allow"],
    [{ cookie: "a b" }, "cookie"],
    [{ cookie: [] }, "cookie"],
    [{ domain: "a b" }, "domain"],
  ])("is refused with %j, by the path of the option", async (given, path) => {
    using _ = fixedClock(day)
    const options = JSON.parse(JSON.stringify(given))
    expect(await mistakeOf([luciaMade.source(), nextAuthV4({ ...fine, ...options })])).toContain(
      `session.accept[1].${path}: `,
    )
  })

  it("is accepted with a long secret", async () => {
    using _ = fixedClock(day)
    expect(await mistakeOf([nextAuthV4(fine), luciaMade.source()])).toBeNull()
  })

  it("is refused in a value that is no list of readers", async () => {
    const accept: readonly AcceptedSource[] = JSON.parse('[{"feature":"other"}]')
    expect(await mistakeOf(accept)).toContain("session.accept: must be a list of readers of @latchkey/import")
  })
})

describe("MIG-04: the date of a reader", () => {
  it.each([
    ["that is missing", undefined, "until: missing"],
    ["that is text", "2027-03-01", "until: must be a date"],
    ["that cannot be read", new Date("soon"), "until: must be a date"],
    ["400 days ahead", new Date("2028-01-02"), "until: must be at most 366 days ahead"],
  ])("%s is refused", async (_, given, expected) => {
    using _clock = fixedClock(day)
    const date: Date = given as never // As an app in plain JavaScript passes it.
    expect(await mistakeOf([nextAuthV4({ ...fine, until: date })])).toContain(`session.accept[0].${expected}`)
  })

  it("in the past switches the reader off, which is warned of once", async () => {
    using _ = fixedClock(day)
    const accept = [nextAuth.source({ until: new Date("2026-11-27") })]
    const { host } = await openMoving("jwt", { accept, userId: nextAuth.userId })
    for (let n = 0; n < 3; n++) expect(await sessionOf(host, nextAuth.header)).toEqual({ email: null, set: [] })
    expect(host.logger.warnings.filter((code) => code === "accept-over")).toHaveLength(1)
  })

  it("that comes while the service runs switches it off", async () => {
    using clock = fixedClock(day)
    const accept = [nextAuth.source({ until: new Date("2026-11-29") })]
    const { host } = await openMoving("jwt", { accept, userId: nextAuth.userId })
    clock.advance({ days: 2 })
    expect(await sessionOf(host, nextAuth.header)).toEqual({ email: null, set: [] })
  })
})
