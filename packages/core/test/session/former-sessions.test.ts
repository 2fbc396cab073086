import { Auth } from "@latchkey/core"
import { unlinkAccount } from "@latchkey/core/account-area"
import { encode } from "@latchkey/core/jwt"
import { endOtherSessions, signOutEverywhere, type TrackSessionsOptions, trackSessions } from "@latchkey/core/sessions"
import type { Adapter, AuthConfig } from "@latchkey/core/types"
import { type Browser, fixedClock, type TestHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { openArea } from "../setup/area-setup.js"
import { passTime } from "../setup/fake-timers.js"
import { openLogoutHost } from "../setup/logout-setup.js"
import { address, newPassword, openPasswords, password } from "../setup/password-setup.js"
import { post, readAnswer, requestTo } from "../setup/requests.js"
import { cookiesOf, openTracked, readSession, type TrackedHost } from "../setup/tracked-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => {
  vi.useRealTimers()
  clock.restore()
})

interface Moved extends TrackedHost {
  /** Signed in before sessions were tracked, and has not come back since. */
  readonly browser: Browser
  readonly copy: string
  /** Signed in likewise, on another device. */
  readonly other: string
}

async function openMoved(adopt: TrackSessionsOptions["adopt"], adapter: Partial<Adapter> = {}): Promise<Moved> {
  const tracked = openTracked("jwt", null, { adapter: adapter as Adapter })
  const browser = await tracked.signIn("vera")
  const other = cookiesOf(await tracked.signIn("vera"))
  // The process that tracks them begins later.
  clock.advance({ seconds: 5 })
  const track = trackSessions({ adopt })
  Object.assign(tracked.host.config, { session: { strategy: "jwt", track } })
  return { ...tracked, browser, copy: cookiesOf(browser), other }
}

const withoutValues = { keepTemporary: undefined, takeTemporary: undefined } as object

/** With the stored first start; and with a date, which needs no temporary values. */
const kinds = [
  ["the first start", () => openMoved(true)],
  ["a date", () => openMoved(new Date(clock.now() + 60_000))],
  ["a date, and an adapter without keepTemporary", () => openMoved(new Date(clock.now() + 60_000), withoutValues)],
] as const

/** The cookie of a user's session from before. Sessions from before may get a record for a minute. */
async function formerCookie({ config }: TestHost, id: string): Promise<string> {
  config.session = { strategy: "jwt", track: trackSessions({ adopt: new Date(clock.now() + 60_000) }) }
  const name = "__Secure-authjs.session-token"
  return `${name}=${await encode({ token: { sub: id }, secret: String(config.secret), salt: name })}`
}

/** The session of a cookie. A process waits for a record that another one may be writing. */
async function read(host: Pick<TrackedHost, "host">, cookie: string, process?: ReturnType<TrackedHost["newProcess"]>) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  return passTime(process ? process("/auth/session", cookie).then(({ text }) => text) : readSession(host, cookie))
}

const userId = "u-vera"
const methodsSince = ({ adapter }: TrackedHost, before: number) =>
  adapter.calls.slice(before).map(({ method }) => method)

describe.each(kinds)("SESS-12: a session from before that was never used since, with %s,", (_, open) => {
  it("ends with its own sign-out, and leaves other devices alone", async () => {
    const moved = await open()
    await moved.browser.signOut()
    expect(await read(moved, moved.copy)).toBe("null")
    expect(await read(moved, moved.copy, moved.newProcess())).toBe("null")
    expect(await read(moved, moved.other)).not.toBe("null")
  })

  it("ends when its browser signs in again", async () => {
    const moved = await open()
    await moved.signIn("vera", moved.browser)
    expect(await read(moved, moved.copy)).toBe("null")
    expect(await moved.browser.session()).not.toBeNull()
    expect(await read(moved, moved.other)).not.toBe("null")
  })

  it("ends with signOutEverywhere, at every process, and brings no other user's to an end", async () => {
    const moved = await open()
    await signOutEverywhere(moved.host.config as AuthConfig, "u-else")
    expect(await read(moved, moved.other)).not.toBe("null")
    await signOutEverywhere(moved.host.config as AuthConfig, userId)
    expect(await read(moved, moved.copy)).toBe("null")
    expect(await read(moved, moved.copy, moved.newProcess())).toBe("null")
    expect(await moved.adapter.listSessionsByUserId(userId)).toEqual([])
    clock.advance({ days: 20 })
    expect(await read(moved, moved.copy, moved.newProcess())).toBe("null")
  })

  it("ends when its user ends all other sessions", async () => {
    const moved = await open()
    const fresh = await moved.signIn("vera")
    const request = requestTo("/", { cookie: cookiesOf(fresh) })
    await endOtherSessions(request, moved.host.config as AuthConfig)
    for (const cookie of [moved.copy, moved.other]) expect(await read(moved, cookie)).toBe("null")
    expect(await fresh.session()).not.toBeNull()
  })
})

describe("SESS-12: a session from before that gets its record at this moment", () => {
  it("ends with a sign-out, or an end of all sessions, of which the store hears before the record", async () => {
    for (const end of ["sign-out", "everywhere"]) {
      const moved = await openMoved(true)
      const { createSessionDetail } = moved.adapter
      let isEnded = false
      Object.assign(moved.host.config.adapter ?? {}, {
        async createSessionDetail(...values: Parameters<typeof createSessionDetail>) {
          if (!isEnded) {
            isEnded = true
            if (end === "sign-out") await moved.browser.signOut()
            else await signOutEverywhere(moved.host.config as AuthConfig, userId)
          }
          return createSessionDetail(...values)
        },
      })
      expect(await read(moved, moved.copy), end).toBe("null")
      expect(await moved.adapter.listSessionsByUserId(userId), end).toEqual([])
    }
  })

  it("ends with a sign-out at another process while its user could not be looked up", async () => {
    const moved = await openMoved(true)
    const config = moved.host.config as AuthConfig
    const asking = { ...config, adapter: { ...config.adapter, getUser: () => Promise.reject(new Error("away")) } }
    const ask = async () => readAnswer(await Auth(requestTo("/auth/session", { cookie: moved.copy }), asking))
    expect((await ask()).text).toBe("null")
    await moved.browser.signOut()
    Object.assign(asking.adapter, { getUser: moved.adapter.getUser })
    expect((await ask()).text).toBe("null")
    expect(await moved.adapter.listSessionsByUserId(userId)).toEqual([])
  })

  it("is asked for by several devices at once, and can be ended then", async () => {
    const moved = await openMoved(true)
    const both = [moved.copy, moved.other].map((each) => readSession(moved, each))
    expect(await Promise.all(both)).not.toContain("null")
    expect(await signOutEverywhere(moved.host.config as AuthConfig, userId)).toBe(2)
    clock.advance({ minutes: 1 })
    for (const cookie of [moved.copy, moved.other]) expect(await read(moved, cookie)).toBe("null")
  })
})

describe("an adapter without leases", () => {
  it("SESS-12: gives no session from before a record, since nothing could keep that it ended", async () => {
    const moved = await openMoved(new Date(clock.now() + 60_000), { takeLease: undefined } as object)
    expect(await read(moved, moved.copy)).toBe("null")
    expect(moved.host.logger.warnings).toContain("session-not-adopted")
  })
})

describe("the end of all sessions of a user", () => {
  it("asks the store for nothing more when sessions from before have expired", async () => {
    for (const [adopt, first] of [
      [true, 2],
      [new Date(clock.now()), 0],
      [false, 0],
    ] as const) {
      const moved = await openMoved(adopt)
      await moved.signIn("vera")
      clock.advance({ days: 31 })
      const before = moved.adapter.calls.length
      await signOutEverywhere(moved.host.config as AuthConfig, userId)
      expect(methodsSince(moved, before).filter((each) => each !== "endSessions").length).toBeLessThanOrEqual(first)
      const later = moved.adapter.calls.length
      await signOutEverywhere(moved.host.config as AuthConfig, userId)
      expect(methodsSince(moved, later)).toEqual(["endSessions"])
    }
  })

  it("SESS-12: does not depend on lifetimes that were longer before: an older token gets no record", async () => {
    const moved = await openMoved(new Date(clock.now() + 60_000))
    Object.assign(moved.host.config, {
      session: { strategy: "jwt", maxAge: 3600, track: trackSessions({ adopt: new Date(clock.now() + 60_000) }) },
    })
    clock.advance({ hours: 2 })
    expect(await read(moved, moved.copy)).toBe("null")
  })
})

describe("SESS-12: what ends the sessions of a user ends those from before", () => {
  it("the stored ones too, when they are extended", async () => {
    const tracked = openTracked("database", null)
    const browser = await tracked.signIn("vera")
    tracked.host.config.session = { strategy: "database", track: trackSessions() }
    await signOutEverywhere(tracked.host.config as AuthConfig, userId)
    clock.advance({ days: 1 })
    expect(await browser.session()).toBeNull()
    expect(await tracked.adapter.listSessionsByUserId(userId)).toEqual([])
  })

  it("a new password", async () => {
    const opened = openPasswords()
    const browser = await opened.signUp()
    const copy = await formerCookie(opened.host, (await opened.adapter.getUserByEmail(address))?.id ?? "")
    const change = await post(browser, "/auth/password/change", { current: password, password: newPassword })
    expect(change.status).toBeLessThan(400)
    expect(await read(opened, copy)).toBe("null")
  })

  it("a logout token of its provider", async () => {
    for (const isNamed of [true, false]) {
      const opened = openLogoutHost("jwt")
      await opened.host.browser.signIn("oidc")
      const { sid, sub } = opened.lastAtProvider()
      const owner = await opened.adapter.getUserByAccount({ provider: "oidc", providerAccountId: sub })
      const copy = await formerCookie(opened.host, owner?.id ?? "")
      const claims = isNamed ? { sid, sub } : { sub }
      expect((await opened.sendToken(await opened.idp.logoutToken({ claims }))).status).toBe(200)
      expect(await read(opened, copy)).toBe("null")
    }
  })

  it("the removal of an account", async () => {
    const opened = await openArea()
    const copy = await formerCookie(opened.host, "u-ada")
    const browser = await opened.signIn()
    const request = requestTo("/", { cookie: cookiesOf(browser) })
    const account = { provider: "oauth", providerAccountId: "ada-1" }
    expect(await unlinkAccount(request, opened.host.config as AuthConfig, account)).toBe(true)
    expect(await read(opened, copy)).toBe("null")
  })

  it("the deletion of the user, whose id the store may give to another", async () => {
    const opened = await openArea()
    const copy = await formerCookie(opened.host, "u-ada")
    const email = "ada@example.com"
    await post(await opened.signIn(), "/auth/account/delete", { action: "delete", confirm: email })
    expect(await opened.adapter.getUser("u-ada")).toBeNull()
    await opened.adapter.createUser({ id: "u-ada", email, name: null, emailVerified: null })
    expect(await read(opened, copy)).toBe("null")
  })
})
