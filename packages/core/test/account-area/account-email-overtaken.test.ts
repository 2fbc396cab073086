import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { ada, codeOf, confirm, eve, html, moved, openAddresses, send } from "../setup/account-email-setup.js"
import { isSignedIn, strategies } from "../setup/password-setup.js"
import { post } from "../setup/requests.js"

describe.each(strategies)("a change of the address that something else overtakes, with %s sessions", (strategy) => {
  const open = (options: Parameters<typeof openAddresses>[0] = {}) => openAddresses({ strategy, ...options })

  /** A thief moves an account to another address, and then again, while the user undoes the first change at this step. */
  async function undoAt(step: "replaceEmail" | "listAccountChanges") {
    let undo: (() => Promise<unknown>) | undefined
    const adapter = memoryAdapter()
    async function pauseAt(current: typeof step): Promise<void> {
      if (current !== step) return
      const pending = undo
      undo = undefined
      await pending?.()
    }
    const stage = open({
      adapter,
      override: {
        async replaceEmail(change) {
          await pauseAt("replaceEmail")
          return adapter.replaceEmail(change)
        },
        async listAccountChanges(selection) {
          await pauseAt("listAccountChanges")
          return adapter.listAccountChanges(selection)
        },
      },
    })
    const thief = await stage.signUp()
    const id = await stage.idOf(ada)
    await stage.move(thief, eve)
    const undoLink = stage.linkTo(ada)
    await send(thief, "eve@other.example")
    const { code } = stage.lastTo("eve@other.example")
    undo = () => post(stage.host.newBrowser(), undoLink, {})
    expect(codeOf(await confirm(thief, { code }))).toBe("spent")
    expect([undo, await stage.addressOf(id)]).toEqual([undefined, ada])
    return { ...stage, adapter, thief, id }
  }

  it("ACC-03: is not changed by a session that an undo has ended, however their steps mix", async () => {
    const { thief } = await undoAt("replaceEmail")
    expect(await isSignedIn(thief)).toBe(false)
  })

  it("ACC-03: leaves no link to undo the undo with a change that it overtakes", async () => {
    const { adapter, addressOf, host, id, linkTo } = await undoAt("listAccountChanges")
    await post(host.newBrowser(), linkTo(eve), {})
    expect(await addressOf(id)).toBe(ada)
    expect(await adapter.listAccountChanges({ userId: id })).toEqual([])
  })

  it("ACC-03: can still be undone if the store fails in the middle of a later change, without transactions", async () => {
    using clock = fixedClock()
    const adapter = memoryAdapter()
    let isAway = false
    const override: Partial<typeof adapter> = {
      async createAccountChange(change) {
        if (!isAway) return adapter.createAccountChange(change)
        isAway = false
        throw new Error("away")
      },
    }
    const { signUp, move, linkTo, lastTo, addressOf, idOf, host } = open({ adapter, override })
    Object.assign(host.config.adapter ?? {}, { transaction: undefined })
    const thief = await signUp()
    const id = await idOf(ada)
    await move(thief, eve)
    clock.advance({ minutes: 6 })
    await send(thief, "eve@other.example")
    isAway = true
    expect((await confirm(thief, { code: lastTo("eve@other.example").code })).status).toBe(503)
    expect([isAway, await addressOf(id)]).toEqual([false, eve])
    await post(host.newBrowser(), linkTo(ada), {}, html)
    expect(await addressOf(id)).toBe(ada)
  })

  it("ACC-03: mails no link to undo it, and keeps no address, if another change to the same address comes first", async () => {
    const { signUp, host, idOf, lastTo, mailsTo, adapter } = open()
    const users = await Promise.all([ada, eve].map(async (email) => ({ email, browser: await signUp(email) })))
    const codes: string[] = []
    for (const { browser } of users) {
      await send(browser, moved)
      codes.push(lastTo(moved).code)
    }
    const ids = await Promise.all([ada, eve].map(idOf))
    const before = [ada, eve].map((email) => mailsTo(email).length)
    const answers = await Promise.all(users.map(({ browser }, n) => confirm(browser, { code: codes[n] ?? "" })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const loser = answers.findIndex(({ status }) => status === 400)
    expect(answers.map(codeOf)[loser]).toBe("taken")
    expect(mailsTo([ada, eve][loser] ?? "")).toHaveLength(before[loser] ?? -1)
    expect(mailsTo([ada, eve][1 - loser] ?? "")).toHaveLength((before[1 - loser] ?? -1) + 1)
    expect(await adapter.listAccountChanges({ userId: ids[loser] ?? "" })).toEqual([])
    expect((await adapter.listAccountChanges({ userId: ids[1 - loser] ?? "" })).map(({ kind }) => kind)).toEqual([
      "email",
    ])
    expect(host.logger.errorTypes()).not.toContain("AuthError")
  })

  it("ACC-03: keeps no address if the new one is taken at the last moment", async () => {
    const adapter = memoryAdapter()
    const { signUp, idOf, lastTo, mailsTo } = open({
      adapter,
      override: {
        async replaceEmail(change) {
          await adapter.createUser({ id: "late", email: change.to ?? "", emailVerified: null })
          return adapter.replaceEmail(change)
        },
      },
    })
    const browser = await signUp()
    const id = await idOf(ada)
    await send(browser, moved)
    expect(codeOf(await confirm(browser, { code: lastTo(moved).code }))).toBe("taken")
    expect([(await adapter.getUser(id))?.email, await adapter.listAccountChanges({ userId: id })]).toEqual([ada, []])
    expect(mailsTo(ada).at(-1)).toContain("was changed back")
  })

  it("ACC-03: takes a change back whose session was ended while it was written", async () => {
    const adapter = memoryAdapter()
    let isEnding = false
    const { signUp, lastTo, addressOf, idOf } = open({
      adapter,
      override: {
        async replaceEmail(change) {
          const isReplaced = await adapter.replaceEmail(change)
          if (isEnding) await adapter.endSessions({ userId: change.userId })
          isEnding = false
          return isReplaced
        },
      },
    })
    const browser = await signUp()
    const id = await idOf(ada)
    await send(browser, moved)
    isEnding = true
    expect(codeOf(await confirm(browser, { code: lastTo(moved).code }))).toBe("spent")
    expect(await addressOf(id)).toBe(ada)
  })
})
