import { Auth } from "@latchkey/core"
import Credentials from "@latchkey/core/providers/credentials"
import GitHub from "@latchkey/core/providers/github"
import type { AuthConfig, Provider } from "@latchkey/core/types"
import {
  createBrowser,
  fakeIdentityProvider,
  memoryAdapter,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask, post } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

function freezeDeep<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) freezeDeep(Reflect.get(value, key))
  return value
}

/** A browser of the same host. For each request, `make` creates the configuration. */
function openAnew(
  { idp, handler, config }: TestHost,
  make: (config: AuthConfig) => AuthConfig = (same) => ({ ...same }),
) {
  const network = { [idp.origin]: idp.handler }
  const isService = (request: Request) => new URL(request.url).pathname.startsWith("/auth/")
  return createBrowser({
    network,
    handler: (request) => (isService(request) ? Auth(request, make(config)) : handler(request)),
  })
}

const shared = (strategy: "jwt" | "database"): TestHostOptions => ({
  adapter: memoryAdapter(),
  session: { strategy },
  providers: ({ idp }) => [idp.provider(), testEmail(), ...(strategy === "jwt" ? [passwordProvider()] : [])],
})

describe.each(["jwt", "database"] as const)(
  "a new configuration object for each request, with %s sessions",
  (strategy) => {
    it("completes a sign-in with a provider", async () => {
      const host = openHost(shared(strategy))
      const browser = openAnew(host)
      expect((await browser.signIn("oidc", { callbackUrl: "/in" })).url.pathname).toBe("/in")
      expect((await browser.session())?.user?.name).toBe("Ada Lovelace")
      await browser.signOut()
      expect(await browser.session()).toBeNull()
      expect([host.logger.errors, host.idp.requests.discovery.length]).toEqual([[], 1])
    })

    it("completes a sign-in by email", async () => {
      const host = openHost(shared(strategy))
      const browser = openAnew(host)
      await browser.signIn("email", { email: "v@corp.test" })
      await browser.open(host.mailbox.lastLink())
      expect((await browser.session())?.user?.email).toBe("v@corp.test")
    })

    it("refuses a flow that was already completed (OAU-04)", async () => {
      const host = openHost(shared(strategy))
      const browser = openAnew(host)
      const { location } = await post(browser, "/auth/signin/oidc")
      const back = (await host.idp.handler(new Request(location ?? ""))).headers.get("location") ?? ""
      const copied = browser.cookies.list()
      await browser.open(back)
      for (const { name, value } of copied) browser.cookies.set(name, value)
      expect((await browser.open(back)).url.search).toBe("?error=Configuration")
      expect(host.idp.requests.token).toHaveLength(1)
    })
  },
)

describe("a configuration object", () => {
  it("CONF-06: may be deeply frozen", async () => {
    const host = openHost({
      ...shared("jwt"),
      callbacks: { session: ({ session }) => session },
      cookies: { state: { options: { maxAge: 60 } } },
      pages: { newUser: "/new" },
      theme: { colorScheme: "dark" },
    })
    const { adapter: _, logger: __, events: ___, ...rest } = host.config
    freezeDeep(rest)
    const frozen = Object.freeze({ ...host.config })
    const browser = openAnew(host, () => frozen)
    for (let round = 0; round < 2; round++) {
      await browser.signIn("oidc")
      expect(await browser.session()).not.toBeNull()
      await browser.signIn("email", { email: "v@corp.test" })
      await browser.signIn("cred", { u: "v", p: "right" })
      await browser.signOut()
    }
    expect(host.logger.errors).toEqual([])
  })

  it("HOST-06, CONF-06: shares no state with the configuration of another request", async () => {
    const idps = ["a", "b"].map((name) =>
      fakeIdentityProvider({ issuer: `https://${name}.idp.test`, person: { sub: name, name } }),
    )
    const hosts = idps.map((idp, n) =>
      openHost({ idp, origin: `https://${"ab"[n]}.app.test`, providers: [idp.provider()] }),
    )
    const handler = (request: Request) =>
      (new URL(request.url).hostname.startsWith("a.") ? hosts[0] : hosts[1])?.handler(request)
    const network = Object.fromEntries(idps.map((idp) => [idp.origin, idp.handler]))
    const browsers = ["a", "b"].map((name) =>
      createBrowser({
        origin: `https://${name}.app.test`,
        network,
        handler: async (request) => (await handler(request)) ?? new Response(),
      }),
    )
    await Promise.all(browsers.map((browser) => browser.signIn("oidc")))
    const sessions = await Promise.all(browsers.map((browser) => browser.session()))
    expect(sessions.map((session) => session?.user?.name)).toEqual(["a", "b"])
    const stolen = browsers[0]?.cookies.get("__Secure-authjs.session-token") ?? ""
    browsers[1]?.cookies.set("__Secure-authjs.session-token", stolen)
    expect(await browsers[1]?.session()).toBeNull()
  })
})

describe("options of the wrong type", () => {
  it.each([
    ["basePath", []],
    ["pages", { error: 404 }],
    ["cookies", { sessionToken: null }],
    ["adapter", true],
    ["theme", { logo: {} }],
    [
      "requestLimits",
      Object.defineProperty({}, "bodyBytes", {
        get: () => {
          throw new Error("unread")
        },
        enumerable: true,
      }),
    ],
  ])("fail every request as a configuration error: %s", async (option, value) => {
    const config: AuthConfig = { ...openHost().config, [option]: value }
    const page = await Auth(new Request("https://app.test/auth/signin"), config)
    expect([page.status, await page.text()]).toEqual([500, expect.stringContaining("</html>")])
    for (const path of ["session", "providers", "callback/oidc?code=c&state=s"]) {
      const answer = await Auth(new Request(`https://app.test/auth/${path}`), config)
      expect([answer.status, await answer.json()]).toEqual([500, { message: expect.stringMatching(/configuration/) }])
    }
  })
})

describe("providers", () => {
  it("may be factories that were not called", async () => {
    const answer = await ask(
      openHost({ providers: [GitHub, Credentials({ authorize: () => null })] }),
      "/auth/providers",
    )
    expect(answer.json()).toMatchObject({
      github: { name: "GitHub", type: "oauth" },
      credentials: { type: "credentials" },
    })
  })

  it("may be created with options that override their fields", async () => {
    const host = openHost({
      providers: [
        GitHub({ clientId: "my-app", clientSecret: "s".repeat(32), authorization: { params: { scope: "repo" } } }),
      ],
    })
    const { location } = await post(host.browser, "/auth/signin/github")
    const { origin, pathname, searchParams } = new URL(location ?? "")
    expect([origin + pathname, searchParams.get("client_id"), searchParams.get("scope")]).toEqual([
      "https://github.com/login/oauth/authorize",
      "my-app",
      "repo",
    ])
  })

  it("CONF-08: may be plain objects with options from JSON, which pollute no prototype", async () => {
    const host = openHost({
      providers: ({ idp }) => {
        const options = JSON.parse(
          '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"name":"Corp"}',
        )
        return [{ ...idp.provider(), options } as Provider] // as: JSON has no type
      },
    })
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    expect((await ask(host, "/auth/providers")).json()).toMatchObject({ oidc: { name: "Corp" } })
  })

  it("that throw when they are called are a configuration error", async () => {
    const fail = (() => {
      throw new Error("no settings")
    }) as unknown as Provider // as: a factory that throws returns no provider
    const host = openHost({ providers: [fail] })
    expect((await ask(host, "/auth/signin")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual(["InvalidConfiguration"])
  })
})
