import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { day } from "./setup/fixtures.js"
import { ask, openMoving, sessionOf } from "./setup/moving-setup.js"
import { luciaMade, nextAuth } from "./setup/sources.js"

const [{ name = "", value: token = "" } = {}] = nextAuth.cookies
const parts = token.split(".")

/** The token with one character of a part changed. */
function changed(part: number): string {
  const text = parts[part] ?? ""
  const at = Math.floor(text.length / 2)
  const other = text[at] === "A" ? "B" : "A"
  return parts.map((each, n) => (n === part ? text.slice(0, at) + other + text.slice(at + 1) : each)).join(".")
}

function withHeader(header: object): string {
  return [Buffer.from(JSON.stringify(header)).toString("base64url"), ...parts.slice(1)].join(".")
}

const worthless = "cleared"
const kept = "kept"

describe("MIG-02: a cookie of next-auth 4", () => {
  it.each([
    ["with another tag", changed(4), kept],
    ["with another text", changed(3), kept],
    ["with another vector", changed(2), kept],
    ["with the header of another algorithm", withHeader({ alg: "none", enc: "A256GCM" }), worthless],
    ["with the header of another encryption", withHeader({ alg: "dir", enc: "A128GCM" }), worthless],
    ["with crit", withHeader({ alg: "dir", enc: "A256GCM", crit: ["exp"] }), worthless],
    ["with zip", withHeader({ alg: "dir", enc: "A256GCM", zip: "DEF" }), worthless],
    ["with an encrypted key", parts.map((part, n) => (n === 1 ? "AA" : part)).join("."), worthless],
    ["with two parts more", `${token}.AA.AA`, worthless],
    ["with a part less", parts.slice(0, 4).join("."), worthless],
    ["with prototype names", withHeader(JSON.parse('{"__proto__":{"alg":"dir","enc":"A256GCM"}}')), worthless],
    ["that is a signed token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJpZHB8YWRhIn0.AAAA", worthless],
    ["that is no token", "undefined", worthless],
    ["with broken percent-encoding", "%E0%A4%A", worthless],
  ])("%s is nobody's, and is %s", async (_title, value, fate) => {
    using _ = fixedClock(day)
    const { host } = await openMoving("none", { accept: [nextAuth.source()] })
    const { email, set } = await sessionOf(host, `${name}=${value}`)
    expect([email, set.some((line) => line.startsWith(`${name}=;`))]).toEqual([null, fate === worthless])
    expect(host.logger.errors).toEqual([])
  })

  it("with a NUL, or that is larger than any, is nobody's", async () => {
    using _ = fixedClock(day)
    const { host } = await openMoving("none", {
      accept: [nextAuth.source()],
      requestLimits: { headerBytes: 1024 * 1024 },
    })
    expect((await sessionOf(host, `${name}=${token}%00`)).email).toBeNull()
    expect((await sessionOf(host, `${name}=${"a".repeat(900_000)}`)).email).toBeNull()
  })

  it("of another secret is nobody's, and is kept until the right one is configured", async () => {
    using _ = fixedClock(day)
    const secret = "another secret of next-auth, 0123456789-ab"
    const wrong = await openMoving("none", { accept: [nextAuth.source({ secret })] })
    expect(await sessionOf(wrong.host, nextAuth.header)).toEqual({ email: null, set: [] })
    const right = await openMoving("none", { accept: [nextAuth.source({ secret: [secret, nextAuth.secret] })] })
    expect((await sessionOf(right.host, nextAuth.header)).email).toBe("ada@example.com")
  })

  it("that is over is nobody's, and is cleared", async () => {
    using clock = fixedClock(day)
    const { host } = await openMoving("none", { accept: [nextAuth.source()] })
    clock.set("2026-12-28T07:58:35Z")
    expect((await sessionOf(host, nextAuth.header)).email).toBe("ada@example.com")
    clock.set("2026-12-28T07:58:37Z")
    const other = await openMoving("none", { accept: [nextAuth.source()] })
    const { email, set } = await sessionOf(other.host, nextAuth.header)
    expect([email, set.map((line) => line.split(";", 1)[0])]).toEqual([null, [`${name}=`]])
  })
})

describe("MIG-02: a cookie of Lucia", () => {
  const [{ name: cookie = "", value: id = "" } = {}] = luciaMade.cookies

  it.each([
    ["whose row is gone", id.replace(/.$/, "x")],
    ["in other case", id.toUpperCase()],
    ["that is empty", ""],
    ["that is short", "abc"],
    ["with a blank", `${id}%20`],
    ["with a quote", `${id}'--`],
    ["with the name of a prototype", "__proto__"],
  ])("%s is nobody's", async (_title, value) => {
    using _ = fixedClock(day)
    // A database may compare without regard to case.
    const find = (sent: string) => luciaMade.find(sent.toLowerCase())
    const { host } = await openMoving("jwt", { accept: [luciaMade.source({ find })], userId: luciaMade.userId })
    expect((await sessionOf(host, `${cookie}=${value}`)).email).toBeNull()
  })

  it.each([
    ["over", new Date("2026-11-28T08:05:00Z")],
    ["over, in seconds", 1_795_853_099],
    ["no date", Number.NaN],
    ["text that is no date", "never"],
  ])("whose expiry is %s is nobody's, and is cleared", async (_title, expiresAt) => {
    using _ = fixedClock(day)
    const find = () => ({ id, userId: luciaMade.userId, expiresAt })
    const { host } = await openMoving("jwt", { accept: [luciaMade.source({ find })], userId: luciaMade.userId })
    const { email, set } = await sessionOf(host, `${cookie}=${id}`)
    expect([email, set.map((line) => line.split(";", 1)[0])]).toEqual([null, [`${cookie}=`]])
  })

  it("is nobody's for now if the database fails, and is kept", async () => {
    using _ = fixedClock(day)
    let isDown = true
    const find = (sent: string) => {
      if (isDown) throw new Error("connection refused")
      return luciaMade.find(sent)
    }
    const { host } = await openMoving("jwt", { accept: [luciaMade.source({ find })], userId: luciaMade.userId })
    expect(await sessionOf(host, luciaMade.header)).toEqual({ email: null, set: [] })
    expect(String(host.logger.errors[0]?.message)).toContain("A session of lucia could not be read")
    isDown = false
    expect((await sessionOf(host, luciaMade.header)).email).toBe("ada@example.com")
  })
})

describe("MIG-15: the subject of a session", () => {
  const token = (subject: (claims: Readonly<Record<string, unknown>>) => unknown) => nextAuth.source({ subject })

  it.each([
    ["is another user's id in other case", () => "IDP|ADA"],
    ["is a number", () => 1],
    ["is a name of a prototype", () => "__proto__"],
    ["is missing", () => undefined],
    ["is an object", () => ({ id: "idp|ada" })],
    ["is a list", () => ["idp|ada"]],
    ["is empty", () => ""],
  ])("that %s finds nobody", async (_title, subject) => {
    using _ = fixedClock(day)
    const { host, adapter } = await openMoving("jwt", { accept: [token(subject)], userId: nextAuth.userId })
    const { getUser } = adapter
    // A database may compare without regard to case.
    Object.assign(adapter, { getUser: (id: string) => getUser(id.toLowerCase()) })
    expect((await sessionOf(host, nextAuth.header)).email).toBeNull()
  })

  it("is an id in one namespace: with an owner by provider, a user with that very id is not meant", async () => {
    using _ = fixedClock(day)
    const accept = [nextAuth.source({ owner: { provider: "auth0" } })]
    const { host, adapter } = await openMoving("jwt", { accept, userId: nextAuth.userId })
    expect((await sessionOf(host, nextAuth.header)).email).toBeNull()
    await adapter.createUser({ id: "user-2", email: "linked@example.com", emailVerified: null })
    await adapter.linkAccount({ userId: "user-2", provider: "other", providerAccountId: nextAuth.userId, type: "oidc" })
    expect((await sessionOf(host, nextAuth.header)).email).toBeNull()
    await adapter.linkAccount({ userId: "user-2", provider: "auth0", providerAccountId: nextAuth.userId, type: "oidc" })
    const { set } = await sessionOf(host, nextAuth.header)
    expect(set).not.toEqual([])
    const { events } = host
    expect(events.of("session").at(-1)?.token?.sub).toBe("user-2")
  })

  it("may be looked up", async () => {
    using _ = fixedClock(day)
    const { host } = await openMoving("jwt", { accept: [token(async () => "user-7")], userId: "user-7" })
    expect((await sessionOf(host, nextAuth.header)).email).toBe("ada@example.com")
    expect(host.logger.errors).toEqual([])
  })

  it("fails the request if it cannot be looked up, and is logged", async () => {
    using _ = fixedClock(day)
    const subject = () => Promise.reject(new Error("connection lost"))
    const { host } = await openMoving("jwt", { accept: [token(subject)], userId: nextAuth.userId })
    expect((await ask(host, "/auth/session", nextAuth.header)).status).toBe(302)
    expect(host.logger.errors.map(({ message }) => message)).toEqual(["session.accept.subject failed"])
  })

  it("is refused by `allow`", async () => {
    using _ = fixedClock(day)
    const allow = () => false
    const { host } = await openMoving("none", { accept: [nextAuth.source({ allow })] })
    expect(await sessionOf(host, nextAuth.header)).toEqual({ email: null, set: [] })
  })
})
