import { type AuthConfig, customFetch as ownFetch } from "@latchkey/core"
import Passkey from "@latchkey/core/providers/passkey"
import { softwareAuthenticator, type TestHost, testHost } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import { beforeAll, describe, expect, it, vi } from "vitest"
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

/** Forgets what all copies in this process share, for those that are loaded afterwards. */
function forgetMemory(): void {
  const keys = Object.getOwnPropertySymbols(globalThis).filter((key) => key.description?.startsWith("latchkey.memory."))
  for (const key of keys) Reflect.deleteProperty(globalThis, key)
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
