import { encode, getToken } from "@latchkey/core/jwt"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { day } from "./setup/fixtures.js"
import { luciaMade, nextAuth } from "./setup/sources.js"

const secret = "the secret of this app, 0123456789-abcdef"
const read = (cookie: string, accept: Parameters<typeof getToken>[0]["accept"], headers: Record<string, string> = {}) =>
  getToken({ req: new Request("https://app.test/", { headers: { cookie, ...headers } }), secret, accept, raw: false })

describe("getToken with the readers of `session.accept`", () => {
  it("returns the claims of a session of next-auth 4 as they are", async () => {
    using _ = fixedClock(day)
    const claims = await read(nextAuth.header, [luciaMade.source(), nextAuth.source()])
    expect(claims).toMatchObject({ sub: "idp|ada", email: "ada@example.com", jti: expect.any(String) })
  })

  it("returns the subject of a stored session", async () => {
    using _ = fixedClock(day)
    expect(await read(luciaMade.header, [luciaMade.source()])).toEqual({ sub: luciaMade.userId })
  })

  it("MIG-07: prefers our own session", async () => {
    using _ = fixedClock(day)
    const token = await encode({ token: { sub: "own" }, secret, salt: "authjs.session-token" })
    const claims = await read(`${nextAuth.header}; authjs.session-token=${token}`, [nextAuth.source()])
    expect(claims?.sub).toBe("own")
    const broken = await read(`${nextAuth.header}; authjs.session-token=broken`, [nextAuth.source()])
    expect(broken?.sub).toBe("idp|ada")
  })

  it("MIG-02, MIG-04: returns null for a session that is over, changed or not allowed, and after the date of its reader", async () => {
    using clock = fixedClock(day)
    expect(await read(`${nextAuth.header}AAAA`, [nextAuth.source()])).toBeNull()
    expect(await read(nextAuth.header, [nextAuth.source({ allow: () => false })])).toBeNull()
    expect(await read(nextAuth.header, [nextAuth.source({ until: new Date("2026-11-27") })])).toBeNull()
    expect(await read(nextAuth.header, undefined)).toBeNull()
    clock.set("2027-01-28T00:00:00Z")
    expect(await read(nextAuth.header, [nextAuth.source()])).toBeNull()
  })

  it("MIG-15: returns null where the subject is an account of a provider, not a user", async () => {
    using _ = fixedClock(day)
    expect(await read(nextAuth.header, [nextAuth.source({ owner: { provider: "github" } })])).toBeNull()
    expect(await read(luciaMade.header, [luciaMade.source({ owner: { provider: "github" } })])).toBeNull()
  })

  it("returns null for a request of a native app", async () => {
    using _ = fixedClock(day)
    expect(await read(nextAuth.header, [nextAuth.source()], { authorization: "Bearer latchkey_x" })).toBeNull()
  })
})
