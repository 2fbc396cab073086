import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { openLoopback } from "@latchkey/client/loopback"
import { createNativeClient, type NativeBrowser, NativeSignInError } from "@latchkey/client/native"
import { nativeApps } from "@latchkey/core/native-apps"
import { trackSessions } from "@latchkey/core/sessions"
import { memoryAdapter, type TestHost, testHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"

const redirectUri = "com.example.app:/callback"
const issuer = "https://app.test/auth"

function openHost(): TestHost {
  return testHost({
    adapter: memoryAdapter(),
    session: { strategy: "jwt", track: trackSessions({ checkEvery: 0 }) },
    nativeApps: nativeApps({ clients: [{ id: "phone", name: "Example", redirectUris: [redirectUri] }] }),
  })
}

function openApp(host: TestHost, changes: Partial<Parameters<typeof createNativeClient>[0]> = {}) {
  const kept: { token: string | null } = { token: null }
  const sent: Request[] = []
  const client = createNativeClient({
    issuer,
    clientId: "phone",
    storage: {
      get: () => kept.token,
      set: (token) => {
        kept.token = token
      },
      remove: () => {
        kept.token = null
      },
    },
    fetch: async (url, init) => {
      const request = new Request(url, init)
      sent.push(request.clone())
      return host.handler(request)
    },
    ...changes,
  })
  return { client, kept, sent }
}

/** The user's browser, signed in. The app links of the system bring the answer back. */
async function browserOf(host: TestHost, change = (answer: string): string | null => answer): Promise<NativeBrowser> {
  const browser = host.newBrowser()
  await browser.signIn("oidc")
  return {
    redirectUri,
    async open(url) {
      await browser.open(url)
      return change((await browser.submit("form")).url.href)
    },
  }
}

async function listen(answer: RequestListener): Promise<{ readonly origin: string; close(): Promise<unknown> }> {
  const server = createServer(answer).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      return once(server.close(), "close")
    },
  }
}

describe("createNativeClient", () => {
  it("signs in, keeps the token, renews it and signs out", async () => {
    const host = openHost()
    const { client, kept, sent } = openApp(host)
    expect(await client.getSession()).toBeNull()
    const session = await client.signIn(await browserOf(host))
    expect(session?.user?.email).toBe("ada@example.com")
    const first = kept.token
    expect((await client.getSession())?.user?.email).toBe("ada@example.com")
    expect([kept.token === first, kept.token?.startsWith("latchkey_")]).toEqual([false, true])
    const answer = await client.fetch("/auth/account/sessions")
    expect((await answer.json()).sessions).toHaveLength(2)
    await client.signOut()
    expect([kept.token, await client.getSession()]).toEqual([null, null])
    expect(sent.filter(({ url }) => url.includes("latchkey_"))).toEqual([])
  })

  it("replaces its session when the user signs in again, and keeps it when the user does not", async () => {
    const host = openHost()
    const { client, kept, sent } = openApp(host)
    const browser = await browserOf(host)
    await client.signIn(browser)
    await expect(client.signIn({ ...browser, open: async () => null })).rejects.toMatchObject({ code: "closed" })
    const former = kept.token ?? ""
    expect((await client.getSession())?.user?.email).toBe("ada@example.com")
    await client.signIn(browser)
    const { sessions } = await (await client.fetch("/auth/account/sessions")).json()
    expect(sessions).toHaveLength(2)
    const headers = { authorization: `Bearer ${former}` }
    expect(await (await host.handler(new Request(`${issuer}/session`, { headers }))).json()).toBeNull()
    expect(sent.filter(({ url }) => url.includes("latchkey_"))).toEqual([])
  })

  it("NAT-25: sends a challenge of method S256, and a new state and verifier each time", async () => {
    const host = openHost()
    const { client } = openApp(host)
    const opened: URL[] = []
    const open = async (url: string) => {
      opened.push(new URL(url))
      return null
    }
    const browser = { redirectUri, open }
    for (let n = 0; n < 2; n++) await expect(client.signIn(browser)).rejects.toMatchObject({ code: "closed" })
    const [one, two] = opened.map(({ searchParams }) => Object.fromEntries(searchParams))
    expect(one).toEqual({
      response_type: "code",
      client_id: "phone",
      redirect_uri: redirectUri,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    })
    expect([one?.["state"] === two?.["state"], one?.["code_challenge"] === two?.["code_challenge"]]).toEqual([
      false,
      false,
    ])
  })

  it.each([
    ["another state", (answer: string) => answer.replace(/state=[^&]+/, "state=planted")],
    ["no state", (answer: string) => answer.replace(/&state=[^&]+/, "")],
    ["another issuer", (answer: string) => answer.replace("app.test", "evil.example")],
    ["no issuer", (answer: string) => answer.replace(/&iss=[^&]+/, "")],
    ["another address", (answer: string) => answer.replace("com.example.app:", "com.evil.app:")],
    ["another path", (answer: string) => answer.replace("/callback", "/other")],
  ])("NAT-25: sends no code of an answer with %s", async (_, change) => {
    const host = openHost()
    const { client, kept, sent } = openApp(host)
    const attempt = client.signIn(await browserOf(host, change))
    await expect(attempt).rejects.toMatchObject({ name: "NativeSignInError", code: "foreign-answer" })
    expect([sent, kept.token]).toEqual([[], null])
  })

  it("NAT-25: sends code, verifier and token to no address that it is redirected to", async () => {
    const seen: string[] = []
    const other = await listen((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      response.end("{}")
    })
    const service = await listen((request, response) => {
      response.writeHead(307, { location: `${other.origin}${request.url}` }).end()
    })
    const moved = `${service.origin}/auth`
    const { client, kept } = openApp(openHost(), { issuer: moved, fetch: globalThis.fetch })
    const open = async (url: string) => {
      const state = new URL(url).searchParams.get("state")
      return `${redirectUri}?${new URLSearchParams({ code: "c", state: state ?? "", iss: moved })}`
    }
    await expect(client.signIn({ redirectUri, open })).rejects.toMatchObject({ code: "unavailable" })
    kept.token = "latchkey_token"
    await expect(client.getSession()).rejects.toMatchObject({ code: "unavailable" })
    await expect(client.signOut()).rejects.toMatchObject({ code: "unavailable" })
    expect([seen, kept.token]).toEqual([[], null])
    for (const { close } of [service, other]) await close()
  })

  it("NAT-25: keeps nothing if the service refuses the code", async () => {
    const host = openHost()
    const { client, kept } = openApp(host)
    const attempt = client.signIn(await browserOf(host, (answer) => answer.replace(/code=[^&]+/, "code=stolen")))
    await expect(attempt).rejects.toBeInstanceOf(NativeSignInError)
    await expect(attempt).rejects.toMatchObject({ code: "refused" })
    expect(kept.token).toBeNull()
  })

  it.each([
    ["access_denied", "denied"],
    ["invalid_request", "refused"],
  ])("tells the error %s", async (error, code) => {
    const host = openHost()
    const { client } = openApp(host)
    const attempt = client.signIn(await browserOf(host, (answer) => answer.replace(/code=[^&]+/, `error=${error}`)))
    await expect(attempt).rejects.toMatchObject({ code })
  })

  it.each(["https://evil.example/", "http://app.test/", "//evil.example/x", "https://app.test:8443/"])(
    "NAT-26: does not send the token to %s",
    async (url) => {
      const host = openHost()
      const { client, sent } = openApp(host)
      await client.signIn(await browserOf(host))
      sent.length = 0
      await expect(client.fetch(url)).rejects.toThrow("The token is for https://app.test")
      expect(sent).toEqual([])
    },
  )

  it("takes a page in place of an answer for a service that does not answer, and keeps the token", async () => {
    const page = async () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } })
    const { client, kept } = openApp(openHost(), { fetch: page })
    kept.token = "latchkey_token"
    await expect(client.getSession()).rejects.toMatchObject({ name: "NativeSignInError", code: "unavailable" })
    expect(kept.token).toBe("latchkey_token")
  })

  it("deletes a token whose session has ended, and keeps it while the service cannot be reached", async () => {
    const host = openHost()
    let isDown = false
    const { client, kept } = openApp(host, {
      fetch: async (url, init) => {
        if (isDown) throw new TypeError("fetch failed")
        return host.handler(new Request(url, init))
      },
    })
    const browser = await browserOf(host)
    await client.signIn(browser)
    isDown = true
    await expect(client.getSession()).rejects.toMatchObject({ code: "unavailable" })
    expect(kept.token).not.toBeNull()
    isDown = false
    const [user] = await Promise.all([host.adapter?.getUserByEmail?.("ada@example.com")])
    await host.adapter?.endSessions?.({ userId: user?.id ?? "" })
    expect([await client.getSession(), kept.token]).toEqual([null, null])
  })

  it("NAT-26: does not bring a token back that was deleted while the session was read", async () => {
    const host = openHost()
    const holder: { client?: ReturnType<typeof createNativeClient> } = {}
    let isRacing = false
    const { client, kept } = openApp(host, {
      fetch: async (url, init) => {
        const response = await host.handler(new Request(url, init))
        if (isRacing && String(url).endsWith("/session")) {
          isRacing = false
          await holder.client?.signOut()
        }
        return response
      },
    })
    holder.client = client
    await client.signIn(await browserOf(host))
    isRacing = true
    await client.getSession()
    expect(kept.token).toBeNull()
  })

  it("uses the cryptography that it is given, on platforms without the Web's", async () => {
    const host = openHost()
    const { client } = openApp(host, {
      crypto: {
        getRandomValues: (bytes) => bytes.set(randomBytes(bytes.length)),
        digest: async (algorithm, data) => {
          expect(algorithm).toBe("SHA-256")
          const hash = createHash("sha256").update(data).digest()
          return hash.buffer.slice(hash.byteOffset, hash.byteOffset + hash.length) as ArrayBuffer
        },
      },
    })
    expect((await client.signIn(await browserOf(host)))?.user?.email).toBe("ada@example.com")
  })
})

describe("openLoopback", () => {
  it("returns the URL that the browser came back to, and stops listening", async () => {
    const browser = await openLoopback({ openBrowser: (url) => void answer(url), message: "<b>Done" })
    const pages: Response[] = []
    async function answer(url: string): Promise<void> {
      const state = new URL(url).searchParams.get("state")
      pages.push(await fetch(`${browser.redirectUri}?code=c&state=${state}`))
    }
    expect(browser.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(await browser.open("https://app.test/auth/native?state=s")).toBe(`${browser.redirectUri}?code=c&state=s`)
    await expect.poll(() => pages.length).toBe(1)
    expect(await pages[0]?.text()).toContain("&lt;b>Done")
    expect(pages[0]?.headers.get("referrer-policy")).toBe("no-referrer")
    await expect(fetch(browser.redirectUri)).rejects.toThrow()
  })

  it("stops when it is told to, as if the user had closed the browser", async () => {
    const controller = new AbortController()
    const browser = await openLoopback({ openBrowser: () => controller.abort(), signal: controller.signal })
    expect(await browser.open("https://app.test/auth/native?state=s")).toBeNull()
    await expect(fetch(browser.redirectUri)).rejects.toThrow()
  })

  it("NAT-24: answers nothing before the sign-in has begun", async () => {
    const browser = await openLoopback({ openBrowser: () => {} })
    for (const query of ["", "?state=", "?state=null", "?code=c&state=s"])
      expect((await fetch(`${browser.redirectUri}${query}`)).status).toBe(400)
    browser.close()
  })
})
