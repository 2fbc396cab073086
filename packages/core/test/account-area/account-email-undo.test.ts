import { accountArea } from "@latchkey/core/account-area"
import type { AddressedMail } from "@latchkey/core/providers/passwords"
import { signOutEverywhere } from "@latchkey/core/sessions"
import { fakeIdentityProvider, fixedClock, memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { ada, codeOf, confirm, eve, html, moved, openAddresses, send } from "../setup/account-email-setup.js"
import { forget, isSignedIn, newPassword, password, pathOf, signIn, strategies } from "../setup/password-setup.js"
import { get, post, postForm } from "../setup/requests.js"

describe.each(strategies)("a changed address, with %s sessions", (strategy) => {
  const open = (options: Parameters<typeof openAddresses>[0] = {}) => openAddresses({ strategy, ...options })

  it("ACC-03: is undone by the former mailbox: ends all sessions, and no password works any more", async () => {
    const { signUp, move, linkTo, lastTo, addressOf, idOf, host } = open()
    const thief = await signUp()
    const id = await idOf(ada)
    await move(thief, eve)
    await post(thief, "/auth/password/change", { current: password, password: newPassword })
    const link = linkTo(ada)
    const owner = host.newBrowser()
    for (let n = 0; n < 3; n++) expect((await get(owner, link, html.headers)).text).toContain("a•••@example.com")
    expect([await addressOf(id), await isSignedIn(thief)]).toEqual([eve, true])
    const done = await postForm(owner, link, {}, html)
    expect(done.text).toContain("Choose a new password")
    expect(await addressOf(id)).toBe(ada)
    expect([await isSignedIn(thief), await isSignedIn(owner)]).toEqual([false, false])
    for (const typed of [password, newPassword]) {
      for (const email of [ada, eve]) {
        const browser = host.newBrowser()
        await signIn(browser, typed, email)
        expect(await isSignedIn(browser)).toBe(false)
      }
    }
    await forget(owner, ada)
    await post(owner, "/auth/password/reset", { code: lastTo(ada).code, password: "a third password of words" })
    expect(await isSignedIn(owner)).toBe(true)
    expect(host.events.of("emailChanged").map(({ isUndone }) => isUndone)).toEqual([false, true])
    expect((await postForm(owner, link, {}, html)).status).toBe(400)
  })

  it("ACC-03: restores the oldest address, however often a thief has changed it", async () => {
    const { signUp, move, linkTo, addressOf, idOf, host } = open()
    const thief = await signUp()
    const id = await idOf(ada)
    await move(thief, eve)
    const first = linkTo(ada)
    await move(thief, "eve@other.example")
    expect(linkTo(ada)).toBe(first)
    expect(linkTo(eve)).toBe(first)
    await postForm(host.newBrowser(), first, {}, html)
    expect(await addressOf(id)).toBe(ada)
    expect((await postForm(host.newBrowser(), linkTo(eve), {}, html)).status).toBe(400)
    expect(await addressOf(id)).toBe(ada)
  })

  it("ACC-03: is not undone after the user has changed back, in lower case, to an address with capitals", async () => {
    const { signUp, move, linkTo, addressOf, idOf, host, adapter } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    // As a provider has it.
    await adapter.updateUser({ id, email: "Ada@Example.com" })
    await move(browser, eve)
    await move(browser, "eve@other.example")
    await move(browser, ada)
    expect((await postForm(host.newBrowser(), linkTo(eve), {}, html)).status).toBe(400)
    expect([await addressOf(id), await isSignedIn(browser)]).toEqual([ada, true])
  })

  it("ACC-03: is not undone after 72 hours, or by a link that was made up", async () => {
    using clock = fixedClock()
    const { signUp, move, linkTo, addressOf, idOf, host } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    await move(browser, moved)
    const url = new URL(linkTo(ada), "https://app.test")
    const [change, token] = [url.searchParams.get("change") ?? "", url.searchParams.get("token") ?? ""]
    for (const query of [
      `change=${change}`,
      `token=${token}`,
      `change=${change}&token=${token.replace(/^./, (first) => (first === "0" ? "1" : "0"))}`,
      `change=${change.replace(/.$/, (last) => (last === "0" ? "1" : "0"))}&token=${token}`,
      `change=${change}&token=${token}00`,
    ]) {
      expect((await postForm(host.newBrowser(), `/auth/account/email/undo?${query}`, {})).status, query).toBe(400)
    }
    clock.advance({ hours: 72, seconds: 1 })
    expect((await postForm(host.newBrowser(), linkTo(ada), {})).status).toBe(400)
    expect(await addressOf(id)).toBe(moved)
  })

  it("ACC-03: is not undone by a form of another site", async () => {
    const { signUp, move, linkTo, addressOf, idOf, host } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    await move(browser, moved)
    const body = new URLSearchParams()
    const stranger = host.newBrowser()
    await stranger.fetch(linkTo(ada), { method: "POST", body, headers: { origin: "https://evil.test" } })
    expect(await addressOf(id)).toBe(moved)
  })

  it("ACC-03: keeps the former address for its user: nobody else gets an account with it before it can no longer be restored", async () => {
    using clock = fixedClock()
    const { signUp, move, lastTo, addressOf, idOf, adapter, host } = open()
    const thief = await signUp()
    const id = await idOf(ada)
    await host.newBrowser().signIn("email", { email: ada })
    const mailed = host.mailbox.lastLink()
    await move(thief, eve)
    const stranger = await signUp(ada)
    expect(await isSignedIn(stranger)).toBe(false)
    const follower = host.newBrowser()
    const { pathname, search } = new URL(mailed)
    await post(follower, `${pathname}${search}`, {})
    expect(await isSignedIn(follower)).toBe(false)
    expect(await adapter.getUserByEmail(ada)).toBeNull()
    const other = await signUp("bob@example.com")
    await send(other, ada)
    expect(lastTo(ada).code).toBe("")
    clock.advance({ hours: 73 })
    expect(await isSignedIn(await signUp(ada))).toBe(true)
    expect(await addressOf(id)).toBe(eve)
  })

  it("ACC-03: lets its user link an account that has the former address, and refuses others", async () => {
    const idp = fakeIdentityProvider({ person: { sub: "1", name: "Ada", email: ada, email_verified: true } })
    const { signUp, move, idOf, adapter, host } = open({ idp, others: [testEmail(), idp.provider()] })
    const browser = await signUp()
    const id = await idOf(ada)
    await move(browser, moved)
    const bob = await signUp("bob@example.com")
    for (const other of [bob, host.newBrowser()]) await other.signIn("oidc")
    expect([await adapter.getAccount("1", "oidc"), await adapter.getUserByEmail(ada)]).toEqual([null, null])
    await browser.signIn("oidc")
    expect(await adapter.getAccount("1", "oidc")).toMatchObject({ userId: id })
    expect(await adapter.getUserByEmail(ada)).toBeNull()
  })

  it.each([
    ["getAccountChange", ada],
    ["getUserByAccount", "the database"],
  ] as const)("does not refuse a sign-in as AccessDenied while the store fails at %s", async (method, named) => {
    const idp = fakeIdentityProvider({ person: { sub: "1", name: "Ada", email: ada, email_verified: true } })
    const adapter = memoryAdapter()
    let isAway = false
    const override = {
      [method]: async (key: never) => {
        if (isAway) throw new Error(`no connection for ${named}`)
        return adapter[method](key)
      },
    }
    const { signUp, move, host } = open({ adapter, override, idp, others: [testEmail(), idp.provider()] })
    await move(await signUp(), moved)
    isAway = true
    const page = await host.newBrowser().signIn("oidc")
    expect([page.url.pathname, page.url.search, page.status]).toEqual(["/auth/error", "?error=Configuration", 500])
    expect(host.logger.errorTypes()).toEqual(["AdapterError"])
    const causes = host.logger.errors.map(({ cause }) => String(Object(cause).err))
    expect(JSON.stringify(host.logger.errors) + causes).not.toContain(ada)
  })

  it("ACC-03: refuses an account with the former address when its user signs out meanwhile", async () => {
    const idp = fakeIdentityProvider({ person: { sub: "1", name: "Ada", email: ada, email_verified: true } })
    let meanwhile = async () => {}
    const signIn = async () => {
      await meanwhile()
      return true
    }
    const given = { idp, others: [testEmail(), idp.provider()], callbacks: { signIn } }
    const { signUp, move, idOf, adapter, host } = open(given)
    const thief = await signUp()
    const id = await idOf(ada)
    await move(thief, moved)
    meanwhile = async () => {
      meanwhile = async () => {}
      await signOutEverywhere(host.config, id)
    }
    await thief.signIn("oidc")
    expect(await adapter.getUserByEmail(ada)).toBeNull()
  })

  const ways = ["mail", "provider", "password"] as const
  it.each(ways)("ACC-03: takes a user back whose sign-in by %s began before the address was given up", async (way) => {
    const idp = fakeIdentityProvider({ person: { sub: "1", name: "Ada", email: ada, email_verified: true } })
    let meanwhile: (() => Promise<void>) | null = null
    const signIn = async () => {
      const first = meanwhile
      meanwhile = null
      await first?.()
      return true
    }
    const given = { idp, others: [testEmail(), idp.provider()], callbacks: { signIn } }
    const { signUp, move, linkTo, addressOf, idOf, adapter, host } = open(given)
    const late = host.newBrowser()
    await host.newBrowser().signIn("email", { email: ada })
    const mailed = host.mailbox.lastLink()
    let id = ""
    meanwhile = async () => {
      const thief = await signUp()
      id = await idOf(ada)
      await move(thief, eve)
    }
    if (way === "mail") await post(late, pathOf(mailed), {})
    else if (way === "provider") await late.signIn("oidc")
    else await signUp(ada, newPassword)
    expect(await addressOf(id)).toBe(eve)
    expect([await isSignedIn(late), await adapter.getUserByEmail(ada)]).toEqual([false, null])
    expect(await adapter.getAccount("1", "oidc")).toBeNull()
    const created = host.events.of("createUser").map(({ user }) => user.id)
    expect(created).toHaveLength(2)
    expect(host.events.of("userDeleted")).toEqual(created.filter((each) => each !== id).map((userId) => ({ userId })))
    await postForm(host.newBrowser(), linkTo(ada), {}, html)
    expect(await addressOf(id)).toBe(ada)
  })

  it("ACC-03: gives no other user the address by a change that began before it was given up", async () => {
    let meanwhile: (() => Promise<unknown>) | null = null
    const stored = memoryAdapter()
    const override = {
      async replaceEmail(change: Parameters<typeof stored.replaceEmail>[0]) {
        const first = meanwhile
        meanwhile = null
        await first?.()
        return stored.replaceEmail(change)
      },
    }
    const { signUp, move, lastTo, linkTo, addressOf, idOf } = open({ adapter: stored, override })
    const bob = await signUp("bob@example.com")
    const bobId = await idOf("bob@example.com")
    await send(bob, ada)
    const { code } = lastTo(ada)
    let id = ""
    meanwhile = async () => {
      const thief = await signUp()
      id = await idOf(ada)
      await move(thief, eve)
    }
    expect((await confirm(bob, { code })).status).toBe(400)
    expect([await addressOf(bobId), await addressOf(id)]).toEqual(["bob@example.com", eve])
    await postForm(await signUp("carol@example.com"), linkTo(ada), {}, html)
    expect(await addressOf(id)).toBe(ada)
  })

  it("ACC-03: lets its user take the former address back, after which nothing is left to undo", async () => {
    const { signUp, move, linkTo, addressOf, idOf, host } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    await move(browser, moved)
    const link = linkTo(ada)
    await move(browser, ada)
    expect(await addressOf(id)).toBe(ada)
    expect((await postForm(host.newBrowser(), link, {})).status).toBe(400)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("ACC-03: makes emails to the former address worthless: no reset, no sign-in", async () => {
    const { signUp, move, lastTo, addressOf, idOf, host } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    const owner = host.newBrowser()
    await forget(owner, ada)
    const reset = lastTo(ada)
    await move(browser, moved)
    await post(owner, "/auth/password/reset", { code: reset.code, password: newPassword })
    await post(host.newBrowser(), pathOf(reset.link), { password: newPassword })
    const signedIn = host.newBrowser()
    await signIn(signedIn, newPassword, moved)
    expect([await isSignedIn(owner), await isSignedIn(signedIn)]).toEqual([false, false])
    expect(await addressOf(id)).toBe(moved)
  })

  it("ACC-03: gives no undo to a former address that was never proved, such as one with a typing error", async () => {
    const { signUp, idOf, addressOf, mailsTo, adapter, move } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    await adapter.updateUser({ id, emailVerified: null })
    const before = mailsTo(ada)
    await move(browser, moved)
    expect(await addressOf(id)).toBe(moved)
    expect([mailsTo(ada), await adapter.listAccountChanges({ userId: id })]).toEqual([before, []])
  })

  it("ACC-03: changes nothing if the former address cannot be told", async () => {
    const sent: AddressedMail[] = []
    const deliver = (mail: AddressedMail) => {
      if (/was changed$/.test(mail.subject)) throw new Error("The mail server is away")
      sent.push(mail)
    }
    const { host, adapter, signUp } = open({ accountArea: accountArea({ mail: { send: deliver } }) })
    const browser = await signUp()
    const id = (await adapter.getUserByEmail(ada))?.id ?? ""
    await send(browser, moved)
    const code = /^\d{6}$/m.exec(sent.at(-1)?.text ?? "")?.[0] ?? ""
    expect(codeOf(await confirm(browser, { code }))).toBe("mail")
    expect((await adapter.getUser(id))?.email).toBe(ada)
    expect(host.events.of("emailChanged")).toEqual([])
  })

  it("ACC-03: begins no session by a mail to the address that an undo has taken away, however their steps mix", async () => {
    const adapter = memoryAdapter()
    let beforeSession: (() => Promise<unknown>) | undefined
    const { signUp, move, linkTo, addressOf, idOf, host } = open({
      adapter,
      override: {
        async createSessionDetail(...session) {
          const undo = beforeSession
          beforeSession = undefined
          await undo?.()
          return adapter.createSessionDetail(...session)
        },
      },
    })
    const browser = await signUp()
    const id = await idOf(ada)
    await move(browser, eve)
    const undoLink = linkTo(ada)
    const thief = host.newBrowser()
    await thief.signIn("email", { email: eve })
    beforeSession = () => post(host.newBrowser(), undoLink, {})
    await post(thief, pathOf(host.mailbox.lastLink()), {})
    expect(await addressOf(id)).toBe(ada)
    expect(await isSignedIn(thief)).toBe(false)
    expect(await adapter.listSessionsByUserId(id)).toEqual([])
  })

  it("ACC-03: is told to the former mailbox when the account is to be deleted, and its undo keeps the account", async () => {
    const { signUp, move, linkTo, mailsTo, idOf, adapter, host } = open({
      accountArea: accountArea({ deleteAfterDays: 1 }),
    })
    const thief = await signUp()
    const id = await idOf(ada)
    await move(thief, eve)
    const undoLink = linkTo(ada)
    await post(thief, "/auth/account/delete", { action: "delete", confirm: eve })
    for (const to of [ada, eve]) expect(mailsTo(to).at(-1), to).toMatch(/will be deleted/)
    await post(host.newBrowser(), undoLink, {})
    expect(await adapter.listAccountChanges({ kind: "deletion" })).toEqual([])
    expect(await adapter.getUser(id)).toMatchObject({ email: ada })
  })

  it("ACC-03: is undone for 72 hours after the last change, at the end of those of an earlier one too", async () => {
    using clock = fixedClock()
    const { signUp, move, linkTo, addressOf, idOf, host } = open()
    await move(await signUp(), moved)
    const id = await idOf(moved)
    clock.advance({ hours: 71 })
    const thief = host.newBrowser()
    await signIn(thief, password, moved)
    await move(thief, eve)
    const links = [linkTo(ada), linkTo(moved)]
    clock.advance({ hours: 71 })
    expect(new Set(links).size).toBe(1)
    await post(host.newBrowser(), links[0] ?? "", {})
    expect(await addressOf(id)).toBe(ada)
    expect((await postForm(host.newBrowser(), links[0] ?? "", {})).status).toBe(400)
  })
})
