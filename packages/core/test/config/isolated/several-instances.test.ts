import { type AuthConfig, customFetch as ownFetch } from "@latchkey/core"
import Passkey from "@latchkey/core/providers/passkey"
import { fixedClock, softwareAuthenticator, type TestHost, testHost } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { onePerProcess } from "../../../src/runtime/cache.js"
import type { openCookieHost } from "../../setup/cookie-setup.js"
import { openKept } from "../../setup/kept-setup.js"
import { createVisitor } from "../../setup/passkey-setup.js"
import { get, post } from "../../setup/requests.js"

interface Pair {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /**
   * A second instance of the service, as in another process, or as bundlers load it into the same one.
   */
  readonly other: (request: Request) => Promise<Response>
}

/** A host that has loaded all lazy modules. */
async function warmHost({ calls: _, ...methods }: Partial<MemoryAdapter>): Promise<TestHost> {
  const host = testHost({
    adapter: methods,
    providers: ({ idp }) => [idp.provider(), Passkey()],
  })
  await host.browser.signIn("oidc")
  await host.browser.signOut()
  await get(host.browser, "/auth/webauthn-options/passkey?action=authenticate")
  return host
}

async function toPair(host: TestHost, adapter: MemoryAdapter): Promise<Pair> {
  // Reset modules are loaded again, without the state of the first ones.
  const { Auth, customFetch } = await import("@latchkey/core")
  const provider = host.idp.provider()
  const providers = [{ ...provider, [customFetch]: provider[ownFetch] }, Passkey()]
  const config = { ...host.config, providers } as AuthConfig // Markers of one instance are unknown to the other.
  return { host, adapter, other: (request) => Auth(request, config) }
}

const prefix = "latchkey.memory."

/** The names of what all copies in this process share. */
const listShared = () =>
  Object.getOwnPropertySymbols(globalThis).filter(({ description }) => description?.startsWith(prefix))

/** Forgets what all copies in this process share, for those that are loaded afterwards. */
function forgetMemory(): void {
  for (const key of listShared()) Reflect.deleteProperty(globalThis, key)
}

interface Kind {
  readonly hasStore: boolean
  readonly hasOneProcess: boolean
}

async function openPair({ hasStore, hasOneProcess }: Kind): Promise<Pair> {
  const adapter = memoryAdapter()
  const { consumeOnce, ...methods } = adapter
  const host = await warmHost(hasStore ? { ...methods, consumeOnce } : methods)
  vi.resetModules()
  if (!hasOneProcess) forgetMemory()
  return await toPair(host, adapter)
}

const cookiesOf = ({ browser }: Pick<TestHost, "browser">) => {
  const pairsOfNameAndValue = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
  return pairsOfNameAndValue.join("; ")
}

describe("two instances in one process", () => {
  it("RATE-05: count guesses at an account together", async () => {
    const password = {
      id: "password",
      type: "credentials" as const,
      name: "Password",
      credentials: { name: {} },
      authorize: () => null,
    }
    const host = testHost({ providers: [password], rateLimit: {} })
    const guess = async (handler: typeof host.handler) => {
      const body = new URLSearchParams({ csrfToken: await host.browser.csrfToken(), name: "ada" })
      const request = new Request("https://app.test/auth/callback/password", {
        method: "POST",
        body,
        headers: { cookie: cookiesOf(host), "x-auth-return-redirect": "1" },
      })
      return (await handler(request)).status
    }
    // Opens the memory, before the other copy is loaded.
    await guess(host.handler)
    vi.resetModules()
    const { Auth } = await import("@latchkey/core")
    const other = (request: Request) => Auth(request, host.config)
    const most = 200
    let status = 0
    for (let n = 0; n < most && status !== 429; n++) status = await guess(host.handler)
    expect([status, await guess(other)]).toEqual([429, 429])
  })

  it("KEEP-01: refresh tokens once, although the store failed to take the new ones", async () => {
    const { host, adapter, idp, refreshes } = openKept()
    await host.browser.signIn("oidc")
    const { replaceTokens } = adapter
    adapter.replaceTokens = () => Promise.reject(new Error("connection lost"))
    const request = new Request("https://app.test/", { headers: { cookie: cookiesOf(host) } })
    const ask = async (config: AuthConfig) => {
      const { getAccessToken, accessTokens } = await import("@latchkey/core/access-tokens")
      const options = { provider: "oidc", secondsLeft: 2 * 60 * 60 }
      return getAccessToken(request, { ...config, accessTokens: accessTokens() }, options)
    }
    await ask(host.config).catch(() => {})
    let written = 0
    adapter.replaceTokens = async (...args) => {
      written++
      return replaceTokens(...args)
    }
    vi.resetModules()
    const { customFetch } = await import("@latchkey/core")
    const provider = { ...idp.provider(), [customFetch]: idp.fetch }
    await ask({ ...host.config, providers: [provider] } as AuthConfig) // Markers of one instance are unknown to the other.
    expect([refreshes(), written]).toEqual([1, 1])
  })

  it("answer a probe of the doctor once", async () => {
    const secret = "only-for-the-tests-of-the-doctor-0"
    const origin = "https://app.example"
    const { createProbe, probeHeader } = await import("@latchkey/core/doctor")
    const { value } = await createProbe(secret, { origin, cookieKibibytes: 0 })
    async function ask(): Promise<number> {
      const [{ Auth }, { answerDoctor }] = await Promise.all([
        import("@latchkey/core"),
        import("@latchkey/core/doctor"),
      ])
      const request = new Request(`${origin}/auth/doctor`, { method: "POST", headers: { [probeHeader]: value } })
      const config = { providers: [], secret, trustHost: true, basePath: "/auth", doctor: answerDoctor() }
      return (await Auth(request, config)).status
    }
    expect(await ask()).toBe(200)
    vi.resetModules()
    expect(await ask()).not.toBe(200)
  })
})

/** The first of them has what the first instance has remembered. */
const kinds: readonly (readonly [string, Kind])[] = [
  ["in one process over a store without consumeOnce", { hasStore: false, hasOneProcess: true }],
  ["in two processes over a store with consumeOnce", { hasStore: true, hasOneProcess: false }],
  ["in two processes over a store without consumeOnce", { hasStore: false, hasOneProcess: false }],
]

describe.each(kinds)("two instances %s", (_, kind) => {
  const isShared = kind.hasStore || kind.hasOneProcess
  let pair: Pair
  beforeAll(async () => {
    pair = await openPair(kind)
  })

  it(`OAU-04: ${isShared ? "reject" : "leave to the provider"} a callback that the other instance completed`, async () => {
    const { host, other } = pair
    const { location } = await post(host.browser, "/auth/signin/oidc", { callbackUrl: "/in" })
    const back = (await host.idp.handler(new Request(location ?? ""))).headers.get("location") ?? ""
    const cookie = cookiesOf(host)
    const before = host.idp.requests.token.length
    expect((await host.browser.fetch(back)).headers.get("location")).toBe("https://app.test/in")
    const again = await other(new Request(back, { headers: { cookie } }))
    expect(again.headers.get("location")).toContain("?error=")
    expect(host.idp.requests.token.length - before).toBe(isShared ? 1 : 2)
  })

  it(`WAN-04: ${isShared ? "reject" : "cannot know of"} a challenge that the other instance consumed`, async () => {
    const { host, adapter, other } = pair
    const device = softwareAuthenticator()
    const v = createVisitor({ browser: host.newBrowser(), device, path: "passkey", adapter })
    await v.register("v@corp.test")
    await v.browser.signOut()
    const data = JSON.stringify(await device.get(await v.request()))
    const body = { csrfToken: await v.browser.csrfToken(), action: "authenticate", data, callbackUrl: "/in" }
    const headers = { cookie: cookiesOf(v) }
    const ask = () =>
      new Request("https://app.test/auth/callback/passkey", {
        method: "POST",
        body: new URLSearchParams(body),
        headers,
      })
    expect((await host.handler(ask())).headers.get("location")).toBe("https://app.test/in")
    const again = (await other(ask())).headers.get("location")
    expect(again).toBe(isShared ? "https://app.test/auth/error?error=Configuration" : "https://app.test/in")
    // The same instance rejects it in any case.
    expect((await host.handler(ask())).headers.get("location")).toContain("error=Configuration")
  })
})

// Last: copies that are loaded before keep what is forgotten here.
describe("what the copies in one process share", () => {
  afterEach(forgetMemory)

  it("is not shared with a version that has another layout", () => {
    const open = (layout: number) => onePerProcess("test", layout, () => ({ layout }))()
    const [former, own] = [open(1), open(2)]
    expect([former, own, open(1) === former, open(2) === own]).toEqual([{ layout: 1 }, { layout: 2 }, true, true])
  })

  // With other methods here, raise the number: a copy of another version would call those that it knows.
  it("has these methods in these layouts", async () => {
    forgetMemory()
    vi.resetModules()
    const { createMarks } = await import("../../../src/features/moving/marks.js")
    await createMarks({ store: null, secrets: [] }).isMarked("an id")
    const { marksPerProcess } = await import("../../../src/runtime/cache.js")
    marksPerProcess("marks")()
    const { openCookieHost: open } = await import("../../setup/cookie-setup.js")
    const { host, ask }: ReturnType<typeof openCookieHost> = open({ rateLimit: {} })
    using clock = fixedClock()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    await ask(host.browser)
    const found = listShared().map((key) => {
      const value: unknown = Reflect.get(globalThis, key)
      return [key.description?.slice(prefix.length), Object.keys(Object(value)).sort().join(" ")]
    })
    expect(Object.fromEntries(found)).toEqual({
      "completed.1": "consume",
      "counted.1": "consume forget has refund",
      "leases.1": "drop take",
      "marks.1": "add delete has",
      "moved.1": "isKnown keep",
      "refreshed.1": "get set",
      "successors.1": "follow remember",
    })
  })
})
