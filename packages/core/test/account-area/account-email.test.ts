import { type Browser, fixedClock, memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  ada,
  codeOf,
  confirm,
  eve,
  html,
  json,
  moved,
  openAddresses,
  path,
  send,
} from "../setup/account-email-setup.js"
import { isSignedIn, password, signIn, strategies } from "../setup/password-setup.js"
import { type Answer, get, post } from "../setup/requests.js"

describe.each(strategies)("the address in the account area, with %s sessions", (strategy) => {
  const open = (options: Parameters<typeof openAddresses>[0] = {}) => openAddresses({ strategy, ...options })

  it("ACC-01: changes nothing before the new address is proved, such as one with a typing error", async () => {
    const { signUp, idOf, addressOf, mailsTo, linkTo, host } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    expect((await send(browser, "ada@exmaple.com")).json()).toEqual({ step: "code" })
    expect(await addressOf(id)).toBe(ada)
    expect(mailsTo(ada)).toHaveLength(1)
    const stranger = host.newBrowser()
    for (const headers of [{}, { accept: "text/html" }]) {
      await get(stranger, linkTo("ada@exmaple.com"), headers)
      await post(stranger, linkTo("ada@exmaple.com"), { action: "confirm" }, { headers })
    }
    expect(await addressOf(id)).toBe(ada)
    expect((await get(browser, path, json.headers)).json()).toMatchObject({ email: ada, pending: "ada@exmaple.com" })
  })

  it("ACC-01: changes the address by the code, in the browser that asked for it", async () => {
    const { signUp, idOf, addressOf, lastTo, mailsTo, host, adapter } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    const other = await signIn(host.newBrowser()).then(() => host.newBrowser())
    await signIn(other)
    await send(browser, ` ADA@new.Example `)
    expect(codeOf(await confirm(other, { code: lastTo(moved).code }))).toBe("spent")
    expect(codeOf(await confirm(browser, { code: "000000" === lastTo(moved).code ? "000001" : "000000" }))).toBe("code")
    expect((await confirm(browser, { code: lastTo(moved).code })).json()).toEqual({ email: moved })
    expect(await addressOf(id)).toBe(moved)
    expect((await adapter.getUser(id))?.emailVerified).toBeInstanceOf(Date)
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false])
    expect(mailsTo(ada).at(-1)).toMatch(/^The address of your account at .* was changed$/)
    expect(codeOf(await confirm(browser, { code: lastTo(moved).code }))).toBe("spent")
    expect((await signIn(host.newBrowser(), password, ada)).location).toContain("error=")
    const signedIn = host.newBrowser()
    await signIn(signedIn, password, moved)
    expect(await isSignedIn(signedIn)).toBe(true)
    expect(host.events.of("emailChanged")).toEqual([{ userId: id, isUndone: false }])
  })

  /** Vera signs in with a name, and has no address. */
  async function openWithout(options: Parameters<typeof openAddresses>[0] = {}) {
    const adapter = memoryAdapter()
    // as: the contract's type has no null, which is a user without an address.
    const email = null as unknown as string
    const { id } = await adapter.createUser({ id: "u-vera", name: "Vera", email, emailVerified: null })
    const byName = {
      id: "cred",
      name: "Name",
      type: "credentials",
      credentials: { name: {} },
      authorize: () => adapter.getUser(id),
    } as const
    const opened = open({ adapter, others: [testEmail(), byName], ...options })
    const browser = opened.host.newBrowser()
    await browser.signIn("cred", { name: "vera" })
    return { ...opened, browser, id }
  }

  it("ACC-01: gives a user without an address the first one, when it is proved", async () => {
    const { browser, id, addressOf, lastTo, mails, host, adapter } = await openWithout()
    const other = host.newBrowser()
    await other.signIn("cred", { name: "vera" })
    expect((await get(browser, path, html.headers)).text).toContain('name="email"')
    expect((await get(browser, path, json.headers)).json()).toMatchObject({ email: null, isVerified: false })
    expect((await send(browser, moved)).json()).toEqual({ step: "code" })
    expect(await addressOf(id)).toBeNull()
    expect((await confirm(browser, { code: lastTo(moved).code })).json()).toEqual({ email: moved })
    expect(await adapter.getUserByEmail(moved)).toMatchObject({ id, emailVerified: expect.any(Date) })
    expect(mails.map(({ to }) => to)).toEqual([moved])
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false])
    expect(host.events.of("emailChanged")).toEqual([{ userId: id, isUndone: false }])
    await send(browser, eve)
    expect((await confirm(browser, { code: lastTo(eve).code })).status).toBe(200)
    expect(await addressOf(id)).toBe(eve)
  })

  it("ACC-02: gives a user without an address none that another user has, with the same answer", async () => {
    const { browser, id, addressOf, lastTo, signUp } = await openWithout()
    await signUp()
    expect((await send(browser, ada)).json()).toEqual({ step: "code" })
    expect(lastTo(ada).code).toBe("")
    expect(await addressOf(id)).toBeNull()
  })

  it("ACC-01: gives a user without an address only one of two that are proved at once", async () => {
    const { browser, id, addressOf, lastTo, host } = await openWithout()
    const other = host.newBrowser()
    await other.signIn("cred", { name: "vera" })
    await send(browser, moved)
    await send(other, eve)
    const answers = await Promise.all([
      confirm(browser, { code: lastTo(moved).code }),
      confirm(other, { code: lastTo(eve).code }),
    ])
    const isChanged = answers.map(({ status }) => status === 200)
    expect(isChanged.filter(Boolean)).toHaveLength(1)
    expect(await addressOf(id)).toBe(isChanged[0] ? moved : eve)
  })

  it("ACC-01: changes the address by the link in another session of the user, and never by a GET", async () => {
    const { signUp, idOf, addressOf, linkTo, host } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    await send(browser, moved)
    const other = host.newBrowser()
    await signIn(other)
    for (let n = 0; n < 3; n++) {
      const page = await get(other, linkTo(moved), { accept: "text/html" })
      expect(page.text).toContain(`Change the address of your account to ${moved}?`)
      expect(page.text).not.toContain(new URL(linkTo(moved), "https://app.test").searchParams.get("token"))
      // Scripts and logs of the app's own pages do not see the token either.
      expect(page.headers.get("referrer-policy")).toBe("strict-origin")
    }
    expect(await addressOf(id)).toBe(ada)
    const answer = await post(other, linkTo(moved), { action: "confirm" }, html)
    expect(answer.location).toBe("https://app.test/auth/account/email?done=changed")
    expect(await addressOf(id)).toBe(moved)
    expect([await isSignedIn(other), await isSignedIn(browser)]).toEqual([true, false])
    expect((await other.session())?.user?.email).toBe(moved)
  })

  it("ACC-01: changes nothing by a link in the session of another user, and leaves it to its own", async () => {
    const { signUp, idOf, addressOf, linkTo } = open()
    const [browser, stranger] = [await signUp(ada), await signUp(eve)]
    const [id, strangerId] = [await idOf(ada), await idOf(eve)]
    await send(browser, moved)
    expect(codeOf(await post(stranger, linkTo(moved), { action: "confirm" }, json))).toBe("spent")
    expect([await addressOf(id), await addressOf(strangerId)]).toEqual([ada, eve])
    expect((await post(browser, linkTo(moved), { action: "confirm" }, json)).status).toBe(200)
    expect([await addressOf(id), await addressOf(strangerId)]).toEqual([moved, eve])
  })

  it("ACC-01: is not asked for by a thief of a session whose user signed in long ago", async () => {
    using clock = fixedClock()
    const { signUp, mailsTo } = open()
    const browser = await signUp()
    clock.advance({ minutes: 11 })
    const answer = await send(browser, eve)
    expect([answer.status, Object(answer.json()).error]).toEqual([403, "FreshnessRequired"])
    expect(mailsTo(eve)).toEqual([])
  })

  it("refuses what is no address, the same address, and after five wrong codes the link too", async () => {
    const { signUp, linkTo, lastTo, addressOf, idOf } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    for (const text of ["ada", "a@b", `${ada},${eve}`]) expect(codeOf(await send(browser, text)), text).toBe("address")
    expect(codeOf(await send(browser, "ADA@example.com"))).toBe("same")
    await send(browser, moved)
    const wrong = lastTo(moved).code === "123456" ? "654321" : "123456"
    const codes = []
    for (let n = 0; n < 6; n++) codes.push(codeOf(await confirm(browser, { code: wrong })))
    expect(codes).toEqual(["code", "code", "code", "code", "spent", "spent"])
    expect(codeOf(await post(browser, linkTo(moved), { action: "confirm" }, json))).toBe("spent")
    expect(await addressOf(id)).toBe(ada)
  })

  it("ACC-02: answers the same for an address that another account has, and tells its owner", async () => {
    const { signUp, lastTo, mailsTo, addressOf, idOf } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    await signUp(eve)
    const strip = ({ status, text, headers }: Answer) => ({
      status,
      text,
      names: [...headers.keys()].filter((name) => name !== "date"),
      cookies: headers.getSetCookie().map((line) => line.replace(/=.*/, "").replace(/\.[0-9a-z_-]{19}$/i, "")),
    })
    const [taken, free] = [await send(browser, eve), await send(browser, moved)]
    expect(strip(taken)).toEqual(strip(free))
    expect(mailsTo(eve).at(-1)).toMatch(/^You already have an account at /)
    expect(lastTo(eve).code).toBe("")
    expect(await addressOf(id)).toBe(ada)
  })

  it("ACC-02: answers the same in a page: the form for the code", async () => {
    const { signUp } = open()
    const [browser, other] = [await signUp(ada), await signUp(eve)]
    const load = async (each: Browser, email: string) => {
      const answer = await post(each, path, { action: "send", email }, html)
      expect([answer.status, answer.location]).toEqual([302, "https://app.test/auth/account/email?done=sent"])
      // The navigation names the user.
      const page = (await get(each, path, html.headers)).text.replace(/<nav .*<\/nav>/, "")
      return page.replaceAll(email, "?").replace(/value="[^"]*"/g, "")
    }
    expect(await load(browser, eve)).toBe(await load(other, "nobody@example.com"))
  })

  it("ACC-02: does not take an address that got an account meanwhile", async () => {
    const { signUp, lastTo, addressOf, idOf } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    await send(browser, moved)
    const { code } = lastTo(moved)
    await signUp(moved)
    expect(codeOf(await confirm(browser, { code }))).toBe("taken")
    expect(await addressOf(id)).toBe(ada)
  })

  it("changes the address once for many parallel confirmations", async () => {
    const { signUp, linkTo, addressOf, idOf, mailsTo } = open()
    const browser = await signUp()
    const id = await idOf(ada)
    await send(browser, moved)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(browser, linkTo(moved), { action: "confirm" }, json)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await addressOf(id)).toBe(moved)
    expect(mailsTo(ada).filter((subject) => subject.includes("was changed"))).toHaveLength(1)
  })
})
