import { memoryAdapter, type TestHost, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { challengeCookie, openPasskeys } from "../setup/passkey-setup.js"
import { type Answer, ask, post, readAnswer } from "../setup/requests.js"
import { expectQuiet, passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const form = "application/x-www-form-urlencoded"
const json = "application/json"
const postActions = ["signin/oidc", "signin/email", "signout", "session", "callback/cred", "callback/passkey"]

/** A body of thirty megabytes that is created while it is read, and counts the chunks that were read. */
function largeBody(): { body: ReadableStream<Uint8Array>; read: () => number } {
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

/** A host with a provider of each type and an adapter that records its calls. */
function openFull(options: TestHostOptions = {}) {
  const adapter = memoryAdapter()
  const host = openHost({
    adapter,
    providers: ({ idp }) => [idp.provider(), passwordProvider(), testEmail()],
    session: { strategy: "jwt" },
    ...options,
  })
  return { host, adapter }
}

type Sent = RequestInit & { readonly duplex?: "half" }

const send = async ({ handler }: Pick<TestHost, "handler">, path: string, init: Sent = {}): Promise<Answer> =>
  readAnswer(await handler(new Request(`https://app.test/auth/${path}`, { method: "POST", ...init })))

const sendJson = (host: TestHost, body: string, path = "session") =>
  send(host, path, { body, headers: { "content-type": json } })

/** The request had no effect, was logged, and the same browser can sign in right after. */
async function expectRefused({ host, adapter }: ReturnType<typeof openFull>, answer: Answer, status: number) {
  expect([answer.status, answer.text, [...answer.cookies]]).toEqual([status, '"Bad request."', []])
  expect(host.logger.records).toMatchObject([{ outcome: "failure", kind: "input" }])
  expect(host.logger.errors).toHaveLength(1)
  await expectQuiet(host, host.browser, adapter)
  await host.browser.signIn("cred", { u: "v", p: "right" })
  expect(await host.browser.session()).not.toBeNull()
}

describe("a request body", () => {
  it.each(postActions)(
    "LIM-01: of thirty megabytes to POST /%s is refused before it is read completely",
    async (path) => {
      for (const type of [form, json]) {
        for (const length of [{}, { "content-length": "31457280" }]) {
          const full = openFull()
          const { body, read } = largeBody()
          const headers = { "content-type": type, ...length }
          const answer = await send(full.host, path, { body, headers, duplex: "half" })
          expect(read()).toBeLessThan(5)
          await expectRefused(full, answer, 413)
        }
      }
    },
  )

  it("LIM-01: may be as large as requestLimits.bodyBytes", async () => {
    const { host } = openFull({ requestLimits: { bodyBytes: 2048 } })
    expect((await sendJson(host, `{"data":"${"a".repeat(3000)}"}`)).status).toBe(413)
    const { host: generous } = openFull({ requestLimits: { bodyBytes: 1_000_000 } })
    expect((await sendJson(generous, `{"data":"${"a".repeat(900_000)}"}`)).status).toBe(400) // No csrf token, but read.
    expect(generous.logger.errorTypes()).toEqual(["MissingCSRF"])
  })

  const deep = (depth: number) => `{"data":${"[".repeat(depth)}${"]".repeat(depth)}}`
  const wide = `{${Array.from({ length: 200_000 }, (_, n) => `"${n}":1`).join()}}`

  it.each([
    [413, "of 200,000 levels", deep(200_000)],
    [413, "of 200,000 keys", wide],
    [400, "of 20,000 levels", deep(20_000)],
    [400, "that is a list", "[]"],
    [400, "that is null", "null"],
    [400, "that is cut off", `{"data":"${"[".repeat(30_000)}`],
  ])("LIM-02: is refused with status %i if it is JSON %s", async (status, _, body) => {
    const full = openFull()
    await expectRefused(full, await sendJson(full.host, body), status)
  })

  it("LIM-02: is refused for its depth, but not for its number of keys, if megabytes are allowed", async () => {
    const requestLimits = { bodyBytes: 16 * 1024 * 1024, jsonDepth: 1000 }
    const full = openFull({ requestLimits })
    await expectRefused(full, await sendJson(full.host, deep(200_000)), 400)
    const { host } = openFull({ requestLimits })
    expect((await sendJson(host, wide)).status).toBe(400)
    expect(host.logger.errorTypes()).toEqual(["MissingCSRF"])
  })

  it("LIM-02: may be nested as deeply as requestLimits.jsonDepth", async () => {
    const update = async (depth: number) => {
      const { host } = openFull({ requestLimits: { jsonDepth: 100 } })
      await host.browser.signIn("cred", { u: "v", p: "right" })
      const csrfToken = await host.browser.csrfToken()
      const body = { csrfToken, data: JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) }
      return (await host.browser.fetch("/auth/session", { json: body })).status
    }
    expect([await update(99), await update(100)]).toEqual([200, 400])
  })

  it.each(["multipart/form-data; boundary=x", "text/xml", "text/plain", undefined])(
    "LIM-03: with the content type %s is ignored",
    async (type) => {
      const { browser, logger } = openFull().host
      const fields = `csrfToken=${await browser.csrfToken()}&u=v&p=right`
      const body = new TextEncoder().encode(fields)
      const headers = type === undefined ? {} : { "content-type": type }
      for (const path of ["signout", "callback/cred", "signin/oidc"]) {
        const answer = await readAnswer(await browser.fetch(`/auth/${path}`, { method: "POST", body, headers }))
        expect(answer.location).toBe("https://app.test/auth/signin?error=MissingCSRF")
      }
      expect(logger.records.map(({ kind }) => kind)).toEqual(["csrf", "csrf", "csrf"])
      expect(await browser.session()).toBeNull()
    },
  )

  it("may have a content type in upper case with parameters (section 2)", async () => {
    const { browser } = openFull().host
    const body = `csrfToken=${await browser.csrfToken()}&callbackUrl=/bye`
    const headers = { "content-type": `${form.toUpperCase()}; charset=UTF-8` }
    const answer = await readAnswer(await browser.fetch("/auth/signout", { method: "POST", body, headers }))
    expect(answer.location).toBe("https://app.test/bye")
  })

  it.each([form, json])(
    "LIM-09: a body of type %s is refused without any effect if the connection breaks",
    async (type) => {
      for (const path of postActions) {
        const full = openFull()
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"csrfToken":"x')),
          pull: (controller) => controller.error(new Error("reset")),
        })
        await expectRefused(
          full,
          await send(full.host, path, { body, headers: { "content-type": type }, duplex: "half" }),
          400,
        )
      }
    },
  )

  it("LIM-07: bytes that are not UTF-8 become U+FFFD, in forms and in JSON", async () => {
    const seen: unknown[] = []
    const authorize = (credentials: Partial<Record<string, unknown>>) => {
      seen.push(credentials["p"])
      return null
    }
    const { browser } = openHost({ providers: [passwordProvider({ authorize })] })
    const csrfToken = await browser.csrfToken()
    const bytes = (before: string, after = "") =>
      new Uint8Array([...new TextEncoder().encode(before), 0xc3, 0x28, ...new TextEncoder().encode(after)])
    const bodies = [
      [form, bytes(`csrfToken=${csrfToken}&u=v&p=`)],
      [form, new TextEncoder().encode(`csrfToken=${csrfToken}&u=v&p=%C3%28`)],
      [json, bytes(`{"csrfToken":"${csrfToken}","u":"v","p":"`, '"}')],
    ] as const
    for (const [type, body] of bodies) {
      const headers = { "content-type": type }
      const answer = await readAnswer(await browser.fetch("/auth/callback/cred", { method: "POST", body, headers }))
      expect(answer.location).toBe("https://app.test/auth/signin?error=CredentialsSignin&code=credentials")
    }
    expect(seen).toEqual(["\ufffd(", "\ufffd(", "\ufffd("])
  })

  it.each(["callbackUrl", "email", "csrfToken", "u"])(
    "LIM-07: may have half of a surrogate pair in %s",
    async (name) => {
      const { host } = openFull()
      const body = { csrfToken: await host.browser.csrfToken(), u: "v", p: "right", [name]: "/\ud800" }
      for (const path of ["callback/cred", "signin/email", "signin/oidc", "signout"]) {
        const answer = await readAnswer(await host.browser.fetch(`/auth/${path}`, { json: body }))
        expect([200, 302, 400, 500]).toContain(answer.status)
        expect(answer.location ?? "").toMatch(/^[\x21-\x7e]*$/)
      }
      expect(host.logger.errorTypes()).not.toContain("AuthError")
    },
  )
})

const everyPath = [
  "providers",
  "csrf",
  "session",
  "signin",
  "signin/oidc",
  "signout",
  "error",
  "verify-request",
].concat(["callback/oidc", "callback/cred", "callback/email", "webauthn-options/oidc", "style.css", "webauthn.js"])

describe("a request method", () => {
  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "PROPFIND"])(
    "LIM-04: %s is refused everywhere and changes nothing",
    async (method) => {
      const { host, adapter } = openFull()
      await host.browser.signIn("cred", { u: "v", p: "right" })
      const cookie = `${sessionCookie}=${host.browser.cookies.get(sessionCookie)}`
      host.logger.clear()
      const [calls, events] = [adapter.calls.length, host.events.names().length]
      // HEAD is answered for pages, and for the link in a mail: CODE-01.
      const paths = everyPath.filter(
        (path) => method !== "HEAD" || /^(?:callback|session|providers|csrf|webauthn-)/.test(path),
      )
      if (method === "HEAD") paths.splice(paths.indexOf("callback/email"), 1)
      for (const path of paths) {
        const answer = await send(host, path, { method, headers: { cookie } })
        expect([path, answer.status, answer.text]).toEqual([path, 400, '"Bad request."'])
        expect([answer.headers.get("allow"), answer.cookies.size]).toEqual(["GET, POST", 0])
      }
      expect(host.logger.records.map(({ kind }) => kind)).toEqual(paths.map(() => "input"))
      expect([adapter.calls.length, host.events.names().length]).toEqual([calls, events])
    },
  )

  it.each(["style.css", "webauthn.js"])(
    "LIM-04: POST %s is answered with 405, because it is not an action",
    async (path) => {
      const full = openFull()
      const answer = await send(full.host, path, { body: "a=1", headers: { "content-type": form } })
      expect([answer.status, answer.headers.get("allow"), answer.text]).toEqual([405, "GET", '"Bad request."'])
      expect(full.host.logger.records).toMatchObject([{ kind: "input", error: "InvalidRequest" }])
    },
  )

  it.each(["providers", "csrf", "error", "verify-request", "webauthn-options/oidc"])(
    "LIM-04: POST %s redirects to the error page and changes nothing",
    async (path) => {
      const full = openFull()
      const answer = await send(full.host, path, { body: "a=1", headers: { "content-type": form } })
      expect(answer.location).toBe("https://app.test/auth/error?error=Configuration")
      expect(full.host.logger.records).toMatchObject([{ kind: "input", error: "UnknownAction" }])
      await expectQuiet(full.host, full.host.browser, full.adapter)
    },
  )
})

describe("request headers and URLs", () => {
  const kibi = 1024
  const cookies = (size: number) => `other=${"a".repeat(size - "other=".length)}`

  it.each(["session", "csrf", "signin", "providers"])(
    "LIM-05: GET %s with too many cookies is answered with 431",
    async (path) => {
      const full = openFull()
      await expectRefused(full, await ask(full.host, `/auth/${path}`, { cookie: cookies(96 * kibi + 1) }), 431)
    },
  )

  it("LIM-05: accepts as many cookies as the service may write", async () => {
    const { host } = openFull()
    expect((await ask(host, "/auth/session", { cookie: cookies(96 * kibi) })).text).toBe("null")
    expect(host.logger.errors).toEqual([])
  })

  it("LIM-05: 64 KiB of cookies are answered with 431 if a session may have eight cookies", async () => {
    const full = openFull({ requestLimits: { sessionChunks: 8 } })
    await expectRefused(full, await ask(full.host, "/auth/session", { cookie: cookies(64 * kibi) }), 431)
  })

  it("LIM-05: other headers count too, for actions that read them", async () => {
    const full = openFull({ requestLimits: { headerBytes: 20 * kibi, sessionChunks: 5 } })
    const headers = { "accept-language": "a,".repeat(6 * kibi), "x-other": "b".repeat(8 * kibi) }
    await expectRefused(full, await ask(full.host, "/auth/signin", { headers }), 431)
  })

  it.each(["session", "signin", "callback/oidc", "verify-request"])(
    "LIM-05: a query of 64 KiB to %s is answered with 414",
    async (path) => {
      const full = openFull()
      await expectRefused(full, await ask(full.host, `/auth/${path}?x=${"a".repeat(64 * kibi)}`), 414)
    },
  )

  it("LIM-05: 10,000 query parameters are answered with 414, or with 400 if long URLs are allowed", async () => {
    const query = Array.from({ length: 10_000 }, (_, n) => `a${n}=1`).join("&")
    const full = openFull()
    await expectRefused(full, await ask(full.host, `/auth/signin?${query}`), 414)
    const long = openFull({ requestLimits: { urlLength: 256 * kibi } })
    await expectRefused(long, await ask(long.host, `/auth/signin?${query}`), 400)
  })

  it("LIM-05: a hundred query parameters are accepted", async () => {
    const { host } = openFull()
    const query = Array.from({ length: 100 }, (_, n) => `a${n}=1`).join("&")
    expect((await ask(host, `/auth/signin?${query}`)).status).toBe(200)
    expect((await ask(host, `/auth/signin?${query}&b=1`)).status).toBe(400)
  })
})

describe("the cookies of sign-ins in progress", () => {
  it("are limited by requestLimits.flows", async () => {
    const { host } = openFull({ requestLimits: { flows: 2 } })
    for (let flow = 0; flow < 4; flow++) await post(host.browser, "/auth/signin/oidc")
    expect(host.browser.cookies.names().filter((name) => name.includes("authjs.state."))).toHaveLength(2)
  })

  it.each([1, 3])("are limited by requestLimits.passkeyChallenges: %i", async (passkeyChallenges) => {
    const { visitor } = openPasskeys({ requestLimits: { passkeyChallenges } })
    const { ask: askOptions, browser } = visitor()
    for (let n = 0; n < 5; n++) await askOptions({})
    const pending = browser.cookies.names().filter((name) => name.startsWith(challengeCookie))
    expect(pending).toHaveLength(passkeyChallenges)
  })
})

describe("the cookies of a session", () => {
  it("are limited by requestLimits.sessionChunks: the sign-in fails if it needs more", async () => {
    const open = (length: number) =>
      openHost({
        requestLimits: { sessionChunks: 2 },
        providers: [passwordProvider()],
        callbacks: { jwt: ({ token }) => ({ ...token, fat: "x".repeat(length) }) },
      })
    const [fits, tooLarge] = [open(4000), open(6000)]
    await fits.browser.signIn("cred", { u: "v", p: "right" })
    expect(await fits.browser.session()).not.toBeNull()
    await tooLarge.browser.signIn("cred", { u: "v", p: "right" })
    expect(await tooLarge.browser.session()).toBeNull()
    expect(tooLarge.logger.records).toMatchObject([{ outcome: "failure", kind: "session", error: "JWTSessionError" }])
  })
})
