import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { call, idOf, load, openArea, read, send, settings, strategies } from "../setup/area-setup.js"
import { ask } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const change = { action: "save", name: "Eve" }
const unlink = { action: "unlink", provider: "oauth", id: "ada-1" }

/** What changes how a user signs in, ends all other sessions, or takes something away or out. */
const needingProof: readonly (readonly [section: string, fields: Readonly<Record<string, string>>])[] = [
  ["methods", unlink],
  ["methods", { action: "link", provider: "oidc" }],
  ["passkeys", { action: "remove", id: "x" }],
  ["sessions", { action: "end-others" }],
  ["export", { action: "download" }],
  ["delete", { action: "delete", confirm: "ada@example.com" }],
]

describe.each(settings)("the account area with %s sessions (%s)", (strategy, kind) => {
  const open = async () => {
    const opened = await openArea({ strategy, kind })
    const { adapter } = opened
    return {
      ...opened,
      nameOf: async (name: string) => (await adapter.getUser(idOf(name)))?.name,
      listAccounts: async () =>
        (await adapter.listAccountsByUserId(idOf("ada"))).filter(({ type }) => type === "oauth"),
    }
  }

  it("is not shown without a session: pages lead to the sign-in page, JSON is 401, and nothing is changed", async () => {
    const { host, nameOf } = await open()
    const visitor = host.newBrowser()
    for (const path of ["", "/profile"]) {
      const page = await load(visitor, path)
      expect(page.status).toBe(302)
      const target = new URL(page.location ?? "")
      expect([target.pathname, target.searchParams.get("error")]).toEqual(["/auth/signin", "SessionRequired"])
      expect(target.searchParams.get("callbackUrl")).toBe(`https://app.test/auth/account${path}`)
      const json = await read(visitor, path)
      expect([json.status, json.json()]).toEqual([401, { error: "SignedOut" }])
    }
    expect((await send(visitor, "profile", change)).location).toContain("/auth/signin?")
    expect((await call(visitor, "profile", change)).status).toBe(401)
    expect(await nameOf("ada")).toBe("ADA")
  })

  it("is shown to a user who has neither a name nor an address", async () => {
    const { signIn, adapter } = await open()
    const browser = await signIn()
    // as: the type has no null, but rows of other apps do.
    await adapter.updateUser({ id: idOf("ada"), email: null as never, name: null })
    for (const path of ["", "/profile", "/methods", "/sessions", "/delete"])
      expect([path, (await load(browser, path)).status]).toEqual([path, 200])
  })

  it("changes nothing for a session that was ended, however recently the store was asked for it", async () => {
    const { signIn, adapter, nameOf } = await open()
    const browser = await signIn()
    expect((await read(browser)).status).toBe(200)
    await adapter.endSessions?.({ userId: idOf("ada") })
    expect((await read(browser)).status).toBe(401)
    expect((await load(browser, "/profile")).location).toContain("/auth/signin?")
    expect((await call(browser, "profile", change)).status).toBe(401)
    expect(await nameOf("ada")).not.toBe("Eve")
  })

  it("changes how users sign in only if they re-authenticated in the last ten minutes", async () => {
    using clock = fixedClock()
    const { signIn, listAccounts } = await open()
    const browser = await signIn()
    clock.advance({ minutes: 11 })
    const json = await call(browser, "methods", unlink)
    expect([json.status, (json.json() as { error: string }).error]).toEqual([403, "FreshnessRequired"])
    expect(json.headers.get("www-authenticate")).toContain("insufficient_user_authentication")
    const target = new URL((await send(browser, "methods", unlink)).location ?? "")
    expect(target.pathname).toBe(kind === "guarded" ? "/auth/confirm" : "/auth/signin")
    expect(target.searchParams.get("callbackUrl")).toBe("https://app.test/auth/account/methods")
    expect(await listAccounts()).toHaveLength(1)
    const page = await load(browser, "/methods")
    expect(page.text).not.toContain("<form")
    expect(page.text).toContain("Confirm it’s you to continue.")
    await signIn("ada", browser)
    expect((await send(browser, "methods", unlink)).location).toBe("https://app.test/auth/account/methods?done=removed")
    expect(await listAccounts()).toEqual([])
  })

  it("changes name and picture, and ends one other session, without a recent proof", async () => {
    using clock = fixedClock()
    const { signIn, nameOf } = await open()
    const browser = await signIn()
    const other = await signIn()
    clock.advance({ hours: 2 })
    const page = await load(browser, "/profile")
    expect(page.text).toContain('name="name"')
    expect(page.text).not.toContain("Confirm it’s you")
    expect((await send(browser, "profile", change)).location).toBe("https://app.test/auth/account/profile?done=saved")
    expect(await nameOf("ada")).toBe("Eve")
    const list = await load(browser, "/sessions")
    expect(list.text).not.toContain("end-others")
    const id = /name="id" value="([^"]+)"/.exec(list.text)?.[1] ?? ""
    expect((await send(browser, "sessions", { action: "end", id })).location).toContain("done=ended")
    clock.advance({ minutes: 1 })
    expect(await other.session()).toBeNull()
    for (const [section, fields] of needingProof) {
      const refused = await call(browser, section, fields)
      expect([section, refused.status, (refused.json() as { error: string }).error]).toEqual([
        section,
        403,
        "FreshnessRequired",
      ])
    }
  })

  it("is not changed by a thief of the session who links an account of their own, and signs in with it", async () => {
    using clock = fixedClock()
    const { signIn, adapter } = await open()
    const browser = await signIn()
    clock.advance({ minutes: 11 })
    await browser.signIn("oidc")
    expect(await adapter.getUserByAccount({ provider: "oidc", providerAccountId: "ada-1815" })).toBeNull()
    expect((await call(browser, "methods", unlink)).status).toBe(403)
    await signIn("ada", browser)
    await browser.signIn("oidc")
    expect(await adapter.getUserByAccount({ provider: "oidc", providerAccountId: "ada-1815" })).not.toBeNull()
  })

  it("does not count the proof of another user, of before a sign-out, or one that was made up", async () => {
    const { signIn, host } = await open()
    const ada = await signIn("ada")
    const bob = await signIn("bob")
    const proof = ada.cookies.get("__Host-authjs.proof") ?? ""
    bob.cookies.set("__Host-authjs.proof", proof)
    expect((await call(bob, "sessions", { action: "end-others" })).status).toBe(403)
    bob.cookies.set("__Host-authjs.proof", `${proof.slice(0, -4)}AAAA`)
    expect((await call(bob, "sessions", { action: "end-others" })).status).toBe(403)
    await ada.signOut()
    expect(ada.cookies.names()).not.toContain("__Host-authjs.proof")
    expect(host.newBrowser().cookies.names()).toEqual([])
  })

  it("is not changed by a GET, a form without the token, or a form of another site", async () => {
    const { signIn, host, nameOf } = await open()
    const browser = await signIn()
    const cookie = cookiesOf(browser)
    const csrfToken = await browser.csrfToken()
    const query = new URLSearchParams({ csrfToken, ...change, _method: "POST" })
    for (const path of [`?${query}`, `/profile?${query}`]) {
      expect((await load(browser, path)).status).toBe(200)
      expect((await read(browser, path)).status).toBe(200)
    }
    const path = "/auth/account/profile"
    const forged = { cookie, form: change, headers: { accept: "application/json" } }
    expect((await ask(host, path, forged)).status).toBe(403)
    expect((await ask(host, `${path}?csrfToken=${csrfToken}`, forged)).status).toBe(403)
    for (const origin of ["https://evil.test", "null"]) {
      const headers = { origin, accept: "text/html" }
      const answer = await ask(host, path, { cookie: cookiesOf(browser), form: { csrfToken, ...change }, headers })
      expect([302, 403]).toContain(answer.status)
      expect(answer.location ?? "").not.toContain("done=")
    }
    expect(await nameOf("ada")).toBe("ADA")
  })

  it("changes only the signed-in user, whatever id a form has", async () => {
    const { signIn, nameOf } = await open()
    const browser = await signIn("bob")
    const answer = await call(browser, "profile", {
      ...change,
      id: idOf("ada"),
      userId: idOf("ada"),
      email: "x@y.test",
    })
    expect([answer.status, answer.json()]).toEqual([200, { name: "Eve", image: null }])
    expect(await Promise.all([nameOf("ada"), nameOf("bob")])).toEqual(["ADA", "Eve"])
  })

  it("shows a new name in the session at once, and keeps what a client sends to its session out of it", async () => {
    const { signIn, nameOf } = await open()
    const browser = await signIn()
    const image = "https://img.test/ada.png"
    await send(browser, "profile", { ...change, image })
    expect((await browser.session())?.user).toMatchObject({ name: "Eve", image })
    const data = { name: "Mallory", image: "https://evil.test/", "Symbol(account area)": true, isOwn: true }
    const csrfToken = await browser.csrfToken()
    const body = JSON.stringify({ csrfToken, data })
    await browser.fetch("/auth/session", { method: "POST", body, headers: { "content-type": "application/json" } })
    expect((await browser.session())?.user).toMatchObject({ name: "Eve", image })
    await send(browser, "profile", { action: "save", name: "", image: "" })
    expect([await nameOf("ada"), (await browser.session())?.user?.name ?? null]).toEqual([null, null])
  })

  it.each([
    "javascript:alert(1)",
    "data:image/png;base64,AA",
    "ftp://x.test/a",
    "//x.test/a",
    "/a",
    "https://u:p@x.test/",
    `https://x.test/${"a".repeat(2100)}`,
    `https://x.test/${"é".repeat(400)}`,
  ])("refuses the picture %s, and keeps what was typed", async (image) => {
    const { signIn, adapter } = await open()
    const browser = await signIn()
    const json = await call(browser, "profile", { action: "save", name: "Eve", image })
    expect([json.status, json.json()]).toMatchObject([400, { error: "ChangeRefused", code: "image", field: "image" }])
    const page = await send(browser, "profile", { action: "save", name: "<b>Eve", image })
    expect(page.status).toBe(400)
    expect(page.text).toContain('role="alert"')
    expect(page.text).toContain('aria-invalid="true"')
    expect(page.text).toContain('value="&lt;b>Eve"')
    expect(await adapter.getUser(idOf("ada"))).toMatchObject({ name: "ADA" })
  })

  it("cuts a name after a hundred characters, and keeps it in one line of text", async () => {
    const { signIn, nameOf } = await open()
    const browser = await signIn()
    const name = ` \u202EA\n\u0000B\t${"\u{1F600}".repeat(200)}`
    await send(browser, "profile", { action: "save", name })
    expect(await nameOf("ada")).toBe(`A B ${"\u{1F600}".repeat(96)}`)
  })

  it("is cached by nobody, shown in no frame, and to no other origin", async () => {
    const { signIn } = await open()
    const browser = await signIn()
    for (const answer of [await load(browser), await load(browser, "/profile"), await read(browser)]) {
      expect(answer.headers.get("cache-control")).toContain("no-store")
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    }
    const page = await load(browser)
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect(page.headers.get("content-type")).toContain("text/html")
  })

  it.each([{ action: "" }, { action: "toString" }, { action: "__proto__" }, { action: "remove" }])(
    "answers 400 to %j",
    async (fields) => {
      const { signIn } = await open()
      expect((await call(await signIn(), "profile", fields)).status).toBe(400)
    },
  )
})

describe("the account area", () => {
  it("does not show a sign-in that waits for its second factor", async () => {
    const { signIn, adapter, host } = await openArea({ kind: "guarded" })
    await adapter.createFactor?.({
      id: "f",
      userId: idOf("ada"),
      kind: "totp",
      secret: "x",
      label: null,
      lastStep: null,
      version: 0,
      createdAt: new Date(),
      lastUsedAt: null,
    })
    const browser = await signIn("ada", host.newBrowser())
    expect((await read(browser)).status).toBe(401)
    expect((await call(browser, "profile", change)).status).toBe(401)
  })

  it("has no section that is not listed, that the store cannot do, or that is unknown: 404, and 400 for other paths", async () => {
    const { signIn } = await openArea({ lacks: ["updateUser"] })
    const browser = await signIn()
    const page = await load(browser, "/profile")
    expect(page.status).toBe(404)
    expect(page.text).toContain("This page does not exist")
    expect([(await read(browser, "/profile")).status, (await call(browser, "profile", change)).status]).toEqual([
      404, 404,
    ])
    expect(Object.keys(((await read(browser)).json() as { sections: object }).sections)).not.toContain("profile")
    expect((await read(browser, "/unknown")).status).toBe(400)
    expect((await read(browser, "/profile/x")).status).toBe(400)
  })

  it("tells who is signed in, and what each section shows", async () => {
    const { signIn } = await openArea()
    const browser = await signIn()
    const { user, isFresh, sections } = (await read(browser)).json() as Record<string, Record<string, object>>
    expect(user).toEqual({ id: idOf("ada"), name: "ADA", email: "ada@example.com", image: null })
    expect(isFresh).toBe(true)
    expect(sections?.["profile"]).toEqual({ name: "ADA", image: null })
  })

  it.each(strategies)("with %s sessions does not show which address the former user asked for", async (strategy) => {
    const { signIn } = await openArea({ strategy, area: { mail: { send: () => {} } } })
    const browser = await signIn()
    await call(browser, "email", { action: "send", email: "ada@new.example" })
    expect((await read(browser, "/email")).json()).toMatchObject({ pending: "ada@new.example" })
    await browser.signOut()
    await signIn("bob", browser)
    expect((await read(browser, "/email")).json()).toMatchObject({ email: "bob@example.com", pending: null })
  })

  it("ignores a notice that does not exist", async () => {
    const { signIn } = await openArea()
    const page = await load(await signIn(), "/profile?done=__proto__")
    expect(page.status).toBe(200)
    expect(page.text).not.toContain('role="status"')
  })
})
