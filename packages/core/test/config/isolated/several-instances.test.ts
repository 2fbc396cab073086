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
   * A second instance of the service, like in another process: it shares only the store with the first.
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

const pairs = new Map<boolean, Pair>()

beforeAll(async () => {
  const [adapter, bare] = [memoryAdapter(), memoryAdapter()]
  const { consumeOnce: _, ...methods } = bare
  const [shared, apart] = [await warmHost(adapter), await warmHost(methods)]
  vi.resetModules()
  pairs.set(true, await toPair(shared, adapter)).set(false, await toPair(apart, bare))
})

function getPair(isShared: boolean): Pair {
  const pair = pairs.get(isShared)
  if (!pair) throw new Error("There is no such pair")
  pair.host.logger.clear()
  return pair
}

const cookiesOf = ({ browser }: Pick<TestHost, "browser">) => {
  const pairsOfNameAndValue = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
  return pairsOfNameAndValue.join("; ")
}

describe.each([
  ["a store with consumeOnce", true],
  ["a store without consumeOnce", false],
])("two instances over %s", (_, isShared) => {
  it(`OAU-04: ${isShared ? "reject" : "leave to the provider"} a callback that the other instance completed`, async () => {
    const { host, other } = getPair(isShared)
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
    const { host, adapter, other } = getPair(isShared)
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
