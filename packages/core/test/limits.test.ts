import { memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { get, readAnswer } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider, sessionCookie } from "./sign-ins.js"

const form = "application/x-www-form-urlencoded"
const actions = ["signin/oidc", "signout", "session", "callback/cred"]

/** A body that is made while it is read, and says how much of it was. */
function endlessBody(): { body: ReadableStream<Uint8Array>; read: () => number } {
  const chunk = new TextEncoder().encode("a".repeat(64 * 1024))
  const count = { read: 0 }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      count.read += 1
      controller.enqueue(chunk)
      if (count.read >= 480) controller.close()
    },
  })
  return { body, read: () => count.read }
}

const openFull = () => openHost({ providers: ({ idp }) => [idp.provider(), passwordProvider()] })

const send = async (path: string, init: RequestInit & { readonly duplex?: "half" }) =>
  readAnswer(await openFull().handler(new Request(`https://app.test/auth/${path}`, { method: "POST", ...init })))

describe("a body", () => {
  it.each(actions)("of thirty megabytes to POST /%s is refused before it is read to its end (LIM-01)", async (path) => {
    for (const headers of [{ "content-type": form }, { "content-type": form, "content-length": "31457280" }]) {
      const { body, read } = endlessBody()
      const answer = await send(path, { body, headers, duplex: "half" })
      expect([answer.status, answer.text]).toEqual([413, '"Bad request."'])
      expect(read()).toBeLessThan(5)
    }
  })

  it.each([
    ["LIM-02: deep JSON", "application/json", `{"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
    ["LIM-02: JSON that is a list", "application/json", "[]"],
    ["LIM-02: JSON that is null", "application/json", "null"],
    ["CSRF-08: JSON that is none", "application/json", "csrfToken=x"],
  ])("%s is 400", async (_, type, body) => {
    expect((await send("session", { body, headers: { "content-type": type } })).status).toBe(400)
  })

  it.each(["multipart/form-data; boundary=x", "text/xml", "text/plain"])(
    "of the type %s is not read (LIM-03)",
    async (type) => {
      const { browser } = openFull()
      const body = `csrfToken=${await browser.csrfToken()}`
      const answer = await readAnswer(
        await browser.fetch("/auth/signout", { method: "POST", body, headers: { "content-type": type } }),
      )
      expect(answer.location).toBe("https://app.test/auth/signin?error=MissingCSRF")
    },
  )

  it("may say more about its type than the type (section 2)", async () => {
    const { browser } = openFull()
    const body = `csrfToken=${await browser.csrfToken()}&callbackUrl=/bye`
    const headers = { "content-type": `${form.toUpperCase()}; charset=UTF-8` }
    const answer = await readAnswer(await browser.fetch("/auth/signout", { method: "POST", body, headers }))
    expect(answer.location).toBe("https://app.test/bye")
  })

  it("that breaks off is 400 (LIM-09)", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) })
    expect((await send("signout", { body, headers: { "content-type": form }, duplex: "half" })).status).toBe(400)
  })

  it("of bytes that are no UTF-8 does no harm (LIM-07)", async () => {
    const body = new Uint8Array([0x75, 0x3d, 0xc3, 0x28])
    expect((await send("callback/cred", { body, headers: { "content-type": form } })).status).toBe(302)
  })
})

describe("odd parameters", () => {
  it("of one name count by their first value (LIM-06)", async () => {
    const { browser } = openFull()
    const body = new URLSearchParams([
      ["csrfToken", await browser.csrfToken()],
      ["csrfToken", "second"],
      ["callbackUrl", "/first"],
      ["callbackUrl", "/second"],
    ])
    const answer = await readAnswer(await browser.fetch("/auth/signout", { method: "POST", body }))
    expect(answer.location).toBe("https://app.test/first")
  })

  it("that look like lists are nothing (LIM-06)", async () => {
    const { browser } = openFull()
    const body = new URLSearchParams({ "csrfToken[x]": await browser.csrfToken() })
    const answer = await readAnswer(await browser.fetch("/auth/signout", { method: "POST", body }))
    expect(answer.location).toBe("https://app.test/auth/signin?error=MissingCSRF")
  })

  it.each(["a", "@", ".", "/", "%", ";", "\u0300"])(
    "of fifteen thousand %j are judged (LIM-05, LIM-08)",
    async (character) => {
      const text = character.repeat(character === "\u0300" ? 5000 : 15_000)
      const host = openHost({ providers: [testEmail()] })
      const page = await host.browser.signIn("email", { email: text, callbackUrl: `/${text.slice(0, 2000)}` })
      expect(page.url.search).toMatch(/^\?error=/)
      const cookie = `${sessionCookie}=${"a".repeat(60_000)}`
      expect((await get(host.browser, `/auth/session?x=${"a".repeat(60_000)}`, { cookie })).text).toBe("null")
    },
  )
})

describe("what an adapter answers", () => {
  const answering = (expires: unknown) => {
    const adapter = memoryAdapter()
    const user = { id: "u-v", email: "v@corp.test", emailVerified: null }
    const getSessionAndUser = async (sessionToken: string) => ({
      user,
      session: { sessionToken, userId: "u-v", expires: expires as Date },
    }) // as: what drivers do
    const host = openHost({ adapter: { ...adapter, getSessionAndUser, updateSession: async () => null } })
    host.browser.cookies.set(sessionCookie, "a".repeat(64))
    return host
  }

  it.each([new Date(Date.now() + 86_400_000).toISOString(), Date.now() + 86_400_000])(
    "may be a date as %o (ADP-11)",
    async (expires) => {
      expect(await answering(expires).browser.session()).not.toBeNull()
    },
  )

  it.each([new Date("x"), "soon", null])("that is no date counts as past: %o (ADP-11)", async (expires) => {
    expect(await answering(expires).browser.session()).toBeNull()
  })

  it("is not changed by a callback that writes to what it is given (ADP-12)", async () => {
    const adapter = memoryAdapter()
    const kept = new Map<string, unknown>()
    const getSessionAndUser: typeof adapter.getSessionAndUser = async (token) => {
      const found = await adapter.getSessionAndUser(token)
      if (!kept.has(token)) kept.set(token, found)
      return kept.get(token) as typeof found // as: only such values were put there
    }
    const host = openHost({
      adapter: { ...adapter, getSessionAndUser },
      callbacks: {
        session({ session, user }) {
          const seen = user.name
          user.name = "changed"
          return { expires: "", user: { name: seen ?? null, email: session.user.email ?? null } }
        },
      },
    })
    await host.browser.signIn("oidc")
    await host.browser.session()
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
  })

  it("is never a row that a sign-out removed meanwhile (ADP-07)", async () => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter, session: { updateAge: 0 } })
    await host.browser.signIn("oidc")
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    await Promise.all([host.browser.signOut(), ...Array.from({ length: 20 }, () => host.browser.newTab().session())])
    expect(await adapter.getSessionAndUser(token)).toBeNull()
  })
})
