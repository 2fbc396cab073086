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
