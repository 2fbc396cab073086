import { type AccountAreaOptions, deleteDueUsers } from "@latchkey/core/account-area"
import { trackSessions } from "@latchkey/core/sessions"
import { type Browser, fixedClock } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { call, idOf, load, openArea, read, send, strategies } from "../setup/area-setup.js"

const ask = { action: "delete", confirm: "ada@example.com" }

const isSignedIn = async (browser: Browser) => (await browser.session()) !== null

async function rowsOf(userId: string, adapter: MemoryAdapter): Promise<number> {
  const lists = [
    await adapter.listAccountsByUserId(userId),
    await adapter.listAuthenticatorsByUserId(userId),
    await adapter.listSessionsByUserId(userId),
    await adapter.listFactors(userId),
    await adapter.listAccountChanges({ userId }),
    [await adapter.getUser(userId), await adapter.getPassword(userId)].filter((row) => row !== null),
  ]
  return lists.flat().length
}

describe.each(strategies)("the deletion in the account area, with %s sessions", (strategy) => {
  async function open(area: AccountAreaOptions = {}, lacks: readonly (keyof MemoryAdapter)[] = []) {
    const mails: string[] = []
    const mail = { send: ({ to, subject }: { to: string; subject: string }) => void mails.push(`${to}: ${subject}`) }
    const session = { strategy, track: trackSessions({ checkEvery: 0 }) }
    const opened = await openArea({ strategy, area: { mail, ...area }, lacks, session })
    const { adapter } = opened
    const userId = idOf("ada")
    await adapter.setPassword({ userId, hash: "hash", changedAt: new Date(1), from: null })
    return { ...opened, mails, userId }
  }

  it("ACC-08: deletes the user with everything that belongs to them, and ends every session", async () => {
    const { signIn, adapter, host, mails, userId } = await open()
    const [browser, other] = [await signIn(), await signIn()]
    const answer = await send(browser, "delete", ask)
    expect(answer.text).toContain("Your account was deleted.")
    expect(await rowsOf(userId, adapter)).toBe(0)
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, false])
    expect((await read(other)).status).toBe(401)
    expect(host.events.of("userDeleted")).toEqual([{ userId }])
    expect(mails).toEqual([expect.stringMatching(/^ada@example\.com: Your account at .* was deleted$/)])
    expect(await rowsOf(idOf("bob"), adapter)).toBeGreaterThan(1)
  })

  it("ACC-08: is refused without the address of the account, by a form of another site, and by a GET", async () => {
    const { signIn, adapter, userId } = await open()
    const browser = await signIn()
    for (const confirm of ["", "bob@example.com", "ada", "ada@example.co", "ada@example.com x"]) {
      expect((await call(browser, "delete", { ...ask, confirm })).status, confirm).toBe(400)
    }
    const wrong = await send(browser, "delete", { ...ask, confirm: "bob@example.com" })
    expect([wrong.status, wrong.text.includes("Type it exactly as shown")]).toEqual([400, true])
    const body = new URLSearchParams(ask)
    await browser.fetch("/auth/account/delete", { method: "POST", body, headers: { origin: "https://evil.test" } })
    await load(browser, `/delete?${body}`)
    expect((await adapter.getUser(userId))?.id).toBe(userId)
    expect((await call(browser, "delete", { ...ask, confirm: " ADA@example.com " })).status).toBe(200)
  })

  it("ACC-08: is refused to the thief of a session whose user signed in long ago", async () => {
    using clock = fixedClock()
    const { signIn, adapter, userId } = await open()
    const browser = await signIn()
    clock.advance({ minutes: 11 })
    const answer = await call(browser, "delete", ask)
    expect([answer.status, Object(answer.json()).error]).toEqual([403, "FreshnessRequired"])
    expect((await load(browser, "/delete")).text).not.toContain("<form")
    expect(await adapter.getUser(userId)).not.toBeNull()
  })

  it("ACC-09: is stopped by a sentence of the app, such as for the last owner of an organization", async () => {
    const reason = "You are the last owner of <Harbour>. Make someone else an owner first."
    const { signIn, adapter, host, userId } = await open({
      beforeDelete: async ({ id }) => (id === idOf("ada") ? reason : null),
    })
    const browser = await signIn()
    const answer = await call(browser, "delete", ask)
    expect([answer.status, answer.json()]).toEqual([400, expect.objectContaining({ code: "kept", reason })])
    const page = await send(browser, "delete", ask)
    expect(page.text).toContain("You are the last owner of &lt;Harbour>. Make someone else an owner first.")
    expect(await adapter.getUser(userId)).not.toBeNull()
    expect([await isSignedIn(browser), host.events.of("userDeleted")]).toEqual([true, []])
    expect((await call(await signIn("bob"), "delete", { ...ask, confirm: "bob@example.com" })).status).toBe(200)
  })

  it("ACC-09: is stopped by a function of the app that fails", async () => {
    const { signIn, adapter, userId } = await open({
      beforeDelete: () => {
        throw new Error("away")
      },
    })
    expect((await call(await signIn(), "delete", ask)).status).toBe(500)
    expect(await adapter.getUser(userId)).not.toBeNull()
  })

  it.each([
    ["true", true],
    ["an object", { reason: "You are the last owner." }],
    ["a number", 1],
  ])("ACC-09: is stopped by a function of the app that returns %s, which is no sentence", async (_, answer) => {
    const beforeDelete = () => answer as unknown as string
    const { signIn, adapter, host, userId } = await open({ beforeDelete })
    expect((await call(await signIn(), "delete", ask)).status).toBe(500)
    expect(await adapter.getUser(userId)).not.toBeNull()
    expect(host.events.of("userDeleted")).toEqual([])
  })

  it("changes nothing if the store fails in the middle of it", async () => {
    const { signIn, adapter, userId, host } = await open({ deleteAfterDays: 0 })
    const browser = await signIn()
    const { transaction } = adapter
    Object.assign(host.config.adapter ?? {}, {
      transaction: (work: Parameters<typeof transaction>[0]) =>
        transaction(async (within) => {
          await work(within)
          throw new Error("The connection was lost")
        }),
    })
    expect((await call(browser, "delete", ask)).status).toBe(503)
    expect((await adapter.getUser(userId))?.id).toBe(userId)
    expect((await adapter.listAccountsByUserId(userId)).length).toBe(1)
    expect(host.events.of("userDeleted")).toEqual([])
    expect(await isSignedIn(browser)).toBe(true)
  })

  it.each([
    ["deleteUser", 0],
    ["createAccountChange", 1],
    ["endSessions", 1],
  ] as const)(
    "ACC-08: leaves the user signed in, to try again, if the store fails at %s",
    async (method, deleteAfterDays) => {
      const { signIn, adapter, userId, host } = await open({ deleteAfterDays })
      const browser = await signIn()
      let isAway = true
      const own: unknown = adapter[method]
      Object.assign(host.config.adapter ?? {}, {
        transaction: undefined,
        [method]: async (...values: unknown[]) => {
          if (isAway) throw new Error("away")
          return typeof own === "function" ? Reflect.apply(own, adapter, values) : undefined
        },
      })
      expect((await call(browser, "delete", ask)).status).toBe(503)
      isAway = false
      expect([await isSignedIn(browser), (await adapter.getUser(userId))?.id]).toEqual([true, userId])
      expect(await adapter.listAccountChanges({ userId })).toEqual([])
      expect((await call(browser, "delete", ask)).status).toBe(200)
      expect(await isSignedIn(browser)).toBe(false)
    },
  )

  it("is not shown with an adapter that cannot delete", async () => {
    const { signIn } = await open({}, ["deleteUser"])
    const browser = await signIn()
    expect((await call(browser, "delete", ask)).status).toBe(404)
    expect((await read(browser, "/delete")).status).toBe(404)
  })

  describe("with a wait", () => {
    const area = { deleteAfterDays: 30 }

    it("ACC-08: ends all sessions at once, and deletes the user when the time has come", async () => {
      using clock = fixedClock()
      const { signIn, adapter, host, mails, userId } = await open(area)
      const [browser, other] = [await signIn(), await signIn()]
      const planned = await send(browser, "delete", ask)
      // Half a day less than 30, since the visitor's time zone is unknown.
      const last = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(
        Date.now() + 29.5 * 24 * 60 * 60 * 1000,
      )
      expect(planned.text).toContain(`You can keep your account until ${last}. Sign in before then.`)
      expect(planned.text).not.toContain("undone")
      expect(planned.text).toContain("will be deleted</h1>")
      expect(planned.text).toContain('href="https://app.test/auth/signin"')
      expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, false])
      expect(mails).toEqual([expect.stringContaining("will be deleted")])
      expect(host.events.of("userDeleted")).toEqual([])
      clock.advance({ days: 29 })
      expect(await deleteDueUsers(host.config, "https://app.test")).toBe(0)
      clock.advance({ days: 1, seconds: 1 })
      const counts = await Promise.all([1, 2, 3].map(() => deleteDueUsers(host.config, "https://app.test")))
      expect(counts.toSorted()).toEqual([0, 0, 1])
      expect(await rowsOf(userId, adapter)).toBe(0)
      expect(host.events.of("userDeleted")).toEqual([{ userId }])
      expect(mails.at(-1)).toMatch(/ was deleted$/)
    })

    it("ACC-09: is stopped by a sentence that the app has only when the time has come, for as long as it has it", async () => {
      using clock = fixedClock()
      let reason: string | null = null
      const asked: string[] = []
      const beforeDelete = ({ id }: { id: string }) => {
        asked.push(id)
        return id === idOf("ada") ? reason : null
      }
      const { signIn, adapter, host, userId } = await open({ ...area, beforeDelete })
      await call(await signIn(), "delete", ask)
      await call(await signIn("bob"), "delete", { ...ask, confirm: "bob@example.com" })
      reason = "An invoice is not paid."
      clock.advance({ days: 31 })
      expect(await deleteDueUsers(host.config, "https://app.test")).toBe(1)
      expect([(await adapter.getUser(userId))?.id, await adapter.getUser(idOf("bob"))]).toEqual([userId, null])
      expect(host.events.of("userDeleted")).toEqual([{ userId: idOf("bob") }])
      expect(host.logger.records.filter(({ kind }) => kind === "deletion-postponed")).toMatchObject([{ userId }])
      reason = null
      expect(await deleteDueUsers(host.config, "https://app.test")).toBe(1)
      expect(await adapter.getUser(userId)).toBeNull()
      expect(asked.filter((id) => id === userId)).toHaveLength(3)
    })

    it("ACC-09: is stopped by a function of the app that fails when the time has come, for its user alone", async () => {
      using clock = fixedClock()
      let isAway = false
      const beforeDelete = ({ id }: { id: string }) => {
        if (isAway && id === idOf("ada")) throw new Error("away")
        return null
      }
      const { signIn, adapter, host, userId } = await open({ ...area, beforeDelete })
      await call(await signIn(), "delete", ask)
      await call(await signIn("bob"), "delete", { ...ask, confirm: "bob@example.com" })
      isAway = true
      clock.advance({ days: 31 })
      await expect(deleteDueUsers(host.config, "https://app.test")).rejects.toMatchObject({
        type: "CallbackRouteError",
      })
      expect([(await adapter.getUser(userId))?.id, await adapter.getUser(idOf("bob"))]).toEqual([userId, null])
    })

    it("ACC-09: is refused to a job whose configuration lacks the account area, and so the function of the app", async () => {
      using clock = fixedClock()
      const { signIn, adapter, host, userId } = await open({ ...area, beforeDelete: () => null })
      await call(await signIn(), "delete", ask)
      clock.advance({ days: 31 })
      const { accountArea: _, ...config } = host.config
      await expect(deleteDueUsers(config, "https://app.test")).rejects.toMatchObject({ type: "InvalidConfiguration" })
      expect((await adapter.getUser(userId))?.id).toBe(userId)
    })

    it("keeps no other user from it when one cannot be deleted", async () => {
      using clock = fixedClock()
      const { signIn, adapter, host, userId } = await open(area)
      await call(await signIn(), "delete", ask)
      await call(await signIn("bob"), "delete", { ...ask, confirm: "bob@example.com" })
      clock.advance({ days: 31 })
      const { deleteUser } = adapter
      Object.assign(host.config.adapter ?? {}, {
        transaction: undefined,
        async deleteUser(id: string) {
          if (id === userId) throw new Error("The row is locked")
          await deleteUser?.(id)
        },
      })
      await expect(deleteDueUsers(host.config, "https://app.test")).rejects.toThrow()
      expect([await adapter.getUser(idOf("bob")), (await adapter.getUser(userId))?.id]).toEqual([null, userId])
      Object.assign(host.config.adapter ?? {}, { deleteUser })
      expect(await deleteDueUsers(host.config, "https://app.test")).toBe(1)
    })

    it("ACC-08: deletes nobody else where the store takes the id of a user who is gone for that of another", async () => {
      using clock = fixedClock()
      const { signIn, adapter, host } = await open(area)
      await call(await signIn(), "delete", ask)
      await signIn("bob")
      clock.advance({ days: 31 })
      const { getUser } = adapter
      Object.assign(host.config.adapter ?? {}, { getUser: () => getUser(idOf("bob")) })
      expect(await deleteDueUsers(host.config, "https://app.test")).toBe(0)
      expect(await getUser(idOf("bob"))).not.toBeNull()
    })

    it("is not forgotten in silence when the secret that it was planned with was removed", async () => {
      using clock = fixedClock()
      const { signIn, host } = await open(area)
      await call(await signIn(), "delete", ask)
      clock.advance({ days: 31 })
      const rotated = { ...host.config, secret: "another secret of the same host, long enough" }
      await expect(deleteDueUsers(rotated, "https://app.test")).rejects.toThrow("cannot be read")
    })

    it("ACC-08: is canceled by a sign-in, which is told to the user", async () => {
      using clock = fixedClock()
      const { signIn, adapter, host, mails, userId } = await open(area)
      await call(await signIn(), "delete", ask)
      clock.advance({ days: 29 })
      const again = await signIn()
      expect([await isSignedIn(again), mails.at(-1)]).toEqual([true, expect.stringContaining("will not be deleted")])
      clock.advance({ days: 30 })
      expect(await deleteDueUsers(host.config, "https://app.test")).toBe(0)
      expect(await adapter.getUser(userId)).not.toBeNull()
    })

    it("ACC-08: is either canceled or carried out when a sign-in and the job come together", async () => {
      using clock = fixedClock()
      const { signIn, adapter, host, userId } = await open(area)
      await call(await signIn(), "delete", ask)
      clock.advance({ days: 31 })
      const { listAccountChanges } = adapter
      let browser: Browser | undefined
      Object.assign(host.config.adapter ?? {}, {
        async listAccountChanges(selection: Parameters<typeof listAccountChanges>[0]) {
          const changes = await listAccountChanges(selection)
          browser ??= await signIn()
          return changes
        },
      })
      expect(await deleteDueUsers(host.config, "https://app.test")).toBe(0)
      expect(await adapter.getUser(userId)).not.toBeNull()
      expect(browser && (await isSignedIn(browser))).toBe(true)
    })
  })
})
