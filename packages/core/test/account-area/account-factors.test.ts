import { authenticatorApp, fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { call, idOf, load, openArea, read, send, strategies } from "../setup/area-setup.js"
import { listOf } from "../setup/tracked-setup.js"

const secretOf = (page: string): string =>
  (page.match(/<code[^>]*>([A-Z2-7 ]+)<\/code>/)?.[1] ?? "").replaceAll(" ", "")
const ticketOf = (page: string): string => page.match(/name="ticket" value="([^"]+)"/)?.[1] ?? ""

describe.each(strategies)("the second step of the account area with %s sessions", (strategy) => {
  const begin = { action: "begin-totp" }
  const setUp = "?step=set-up"

  it("is set up and removed by forms without scripts", async () => {
    const { signIn, adapter } = await openArea({ strategy, kind: "guarded" })
    const browser = await signIn()
    expect((await load(browser, "/factors")).text).toContain("Set up an authenticator app")
    expect((await send(browser, "factors", begin)).location).toBe(`https://app.test/auth/account/factors${setUp}`)
    const setup = await load(browser, `/factors${setUp}`)
    const app = authenticatorApp(secretOf(setup.text))
    const ticket = ticketOf(setup.text)
    const wrong = await send(browser, "factors", { action: "confirm-totp", ticket, code: "000000" })
    const again = await load(browser, wrong.location?.replace("https://app.test/auth/account", ""))
    expect(again.text).toContain("That code did not work")
    expect(secretOf(again.text)).toBe(secretOf(setup.text))
    expect(await adapter.listFactors?.(idOf("ada"))).toEqual([])
    const confirmed = await send(browser, "factors", { action: "confirm-totp", ticket, code: await app.code() })
    expect(confirmed.location).toBe("https://app.test/auth/second-factor/codes")
    const codes = await load(browser, "/../second-factor/codes")
    expect(codes.text).toContain("Save your recovery codes")
    expect(codes.text.match(/<li><code>/g)).toHaveLength(10)
    const saved = await send(browser, "../second-factor/codes", {})
    expect(saved.location).toBe("https://app.test/auth/account/factors?done=added")
    const { factors } = (await read(browser, "/factors")).json() as { factors: { id: string; kind: string }[] }
    expect(factors.map(({ kind }) => kind)).toEqual(["totp", "recovery"])
    const page = await load(browser, "/factors?done=added")
    expect(page.text).toContain("10 codes left")
    expect(page.text).toContain("Two-step verification is set up.")
    expect((await send(browser, "factors", { action: "create-recovery-codes" })).location).toBe(confirmed.location)
    const removed = await send(browser, "factors", { action: "remove", id: factors[0]?.id ?? "" })
    expect(removed.location).toContain("done=removed")
    expect((await adapter.listFactors?.(idOf("ada")))?.map(({ kind }) => kind)).toEqual(["ending"])
    expect((await send(browser, "factors", { action: "remove", id: "nothing" })).location).toContain("done=gone")
  })

  it("is changed only with a recent proof, and shows no secret without one", async () => {
    using clock = fixedClock()
    const { signIn, adapter } = await openArea({ strategy, kind: "guarded" })
    const browser = await signIn()
    const setup = await load(browser, `/factors${setUp}`)
    clock.advance({ minutes: 11 })
    const code = await authenticatorApp(secretOf(setup.text)).code()
    for (const fields of [
      begin,
      { action: "confirm-totp", ticket: ticketOf(setup.text), code },
      { action: "remove", id: "x" },
    ]) {
      const answer = await send(browser, "factors", fields)
      expect(answer.location).toContain("/auth/confirm?callbackUrl=")
    }
    for (const step of ["set-up", "remove&id=x", "renew-codes"]) {
      const here = encodeURIComponent(`https://app.test/auth/account/factors?step=${step}`)
      expect((await load(browser, `/factors?step=${step}`)).location).toContain(`/auth/confirm?callbackUrl=${here}`)
    }
    expect(await adapter.listFactors?.(idOf("ada"))).toEqual([])
  })

  it("the user's own ticket sets up no second factor for another user", async () => {
    const { signIn, adapter } = await openArea({ strategy, kind: "guarded" })
    const setup = await load(await signIn(), `/factors${setUp}`)
    const code = await authenticatorApp(secretOf(setup.text)).code()
    const bob = await signIn("bob")
    const answer = await send(bob, "factors", { action: "confirm-totp", ticket: ticketOf(setup.text), code })
    expect(answer.location).toContain("error=StaleSetup")
    expect(await adapter.listFactors?.(idOf("bob"))).toEqual([])
  })
})

describe.each(strategies)("the sessions of the account area with %s sessions", (strategy) => {
  it("are ended by forms without scripts, one or all others", async () => {
    const { signIn } = await openArea({ strategy })
    const [browser, other, third] = [await signIn(), await signIn(), await signIn()]
    const page = await load(browser, "/sessions")
    expect(page.text).toContain("This browser")
    const [own, ...others] = await listOf(browser)
    expect((await send(browser, "sessions", { action: "end", id: others[0]?.id ?? "" })).location).toContain(
      "done=ended",
    )
    expect((await send(browser, "sessions", { action: "end", id: "nothing" })).location).toContain("done=gone")
    expect(await listOf(browser)).toHaveLength(2)
    expect((await send(browser, "sessions", { action: "end-others" })).location).toContain("done=others")
    expect([(await read(other)).status, (await read(third)).status]).toEqual([401, 401])
    const left = await send(browser, "sessions", { action: "end", id: own?.id ?? "" })
    expect(left.location).toBe("https://app.test")
    expect(await browser.session()).toBeNull()
  })

  it("SESS-02: another user's sessions are unknown, and SESS-05: all other sessions end only with a recent proof, one without", async () => {
    using clock = fixedClock()
    const { signIn } = await openArea({ strategy })
    const [ada, bob] = [await signIn("ada"), await signIn("bob")]
    const other = await signIn("ada")
    const [id] = (await listOf(bob)).map((session) => session.id)
    const answer = await call(ada, "sessions", { action: "end", id: id ?? "" })
    expect([answer.status, answer.json()]).toEqual([404, { error: "NotFound" }])
    clock.advance({ minutes: 11 })
    const [, second] = await listOf(ada)
    const others = { action: "end-others" }
    expect((await call(ada, "sessions", others)).status).toBe(403)
    expect((await send(ada, "sessions", others)).location).toContain("/auth/signin?")
    expect([(await read(bob)).status, (await read(other)).status]).toEqual([200, 200])
    expect((await send(ada, "sessions", { action: "end", id: second?.id ?? "" })).location).toContain("done=ended")
    expect([(await read(bob)).status, (await read(other)).status]).toEqual([200, 401])
  })
})
