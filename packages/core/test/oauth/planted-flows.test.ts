import type { AuthConfig, OIDCUserConfig } from "@latchkey/core/types"
import { type Browser, fakeIdentityProvider, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { strategies } from "../setup/oauth-stage.js"
import { post } from "../setup/requests.js"
import { pathOfPage } from "../setup/sign-ins.js"

const app = "https://app.corp.test"
const sibling = "https://blog.corp.test"
const proxy = "https://login.test"
const secret = "shared-by-the-proxy-and-its-previews"

const formPost: OIDCUserConfig = { authorization: { params: { response_mode: "form_post" } } }
const ways: readonly (readonly [string, OIDCUserConfig])[] = [
  ["by query", {}],
  ["by form post", formPost],
  ["with the check none", { checks: ["none"] }],
  ["with the check none by form post", { ...formPost, checks: ["none"] }],
  ["with pkce alone", { checks: ["pkce"] }],
  ["behind a redirect proxy", { redirectProxyUrl: `${proxy}/auth` }],
]

interface Setup {
  readonly strategy: (typeof strategies)[number]
  readonly provider: OIDCUserConfig
  readonly cookies?: AuthConfig["cookies"]
}

/**
 * Vera signs in at `oidc`. Mallory has an account at `other`, and controls a sibling domain that plants every cookie of
 * her browser that it may, under its own name, before it sends the visitor to her callback.
 */
function openAttack({ strategy, provider, cookies }: Setup) {
  const adapter = memoryAdapter()
  const callbacks = [app, proxy].map((origin) => `${origin}/auth/callback/other`) as [string, string]
  const other = fakeIdentityProvider({
    issuer: "https://idp2.test",
    clients: [{ client_id: "rp", redirect_uris: callbacks }],
    person: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" },
  })
  const attack: { respond: () => Response } = { respond: () => new Response("nothing yet") }
  const shared = {
    adapter,
    secret,
    session: { strategy },
    allowedOrigins: [app, proxy],
    providers: [other.provider({ id: "other", ...provider })],
  }
  const host = openHost({
    ...shared,
    origin: app,
    providers: ({ idp }) => [idp.provider(), ...shared.providers],
    network: {
      [other.origin]: other.handler,
      [sibling]: async () => attack.respond(),
      [proxy]: (request) => openHost({ ...shared, idp: other, origin: proxy }).handler(request),
    },
    ...(cookies && { cookies }),
  })

  /** Begins a sign-in in Mallory's browser up to the callback, and sends the visitor there from the sibling domain. */
  async function lure(victim: Browser, mallory: Browser = host.newBrowser()) {
    const { location } = await post(mallory, "/auth/signin/other", { callbackUrl: "/in" })
    const answer = await other.handler(new Request(location ?? ""))
    const headers = new Headers(answer.headers)
    for (const { name, value } of mallory.cookies.list()) {
      // The longer path comes first in the header, as an attacker wants it.
      for (const path of ["/", "/auth"]) {
        headers.append("set-cookie", `${name}=${value}; Domain=corp.test; Path=${path}; Secure; SameSite=None`)
      }
    }
    const body = await answer.text()
    attack.respond = () => new Response(body || null, { status: answer.status, headers })
    return victim.open(`${sibling}/offer`)
  }

  const ownerOf = (id: string, providerAccountId: string) =>
    adapter.getUserByAccount({ provider: id, providerAccountId })
  return { host, lure, other, adapter, ownerOf }
}

describe.each(strategies)("a sign-in that a sibling domain plants, with %s sessions", (strategy) => {
  it.each(ways)("LINK-07: links nothing to a signed-in user, %s", async (_, provider) => {
    const { host, lure, ownerOf } = openAttack({ strategy, provider })
    await host.browser.signIn("oidc")
    const page = await lure(host.browser)
    expect(pathOfPage(page)).toMatch(/^\/auth\/(error|signin)\?error=/)
    expect(await ownerOf("other", "mallory")).toBeNull()
    expect(host.events.of("linkAccount")).toHaveLength(1)
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
  })

  it.each(ways)("LINK-07: links nothing where the session cookie has the prefix __Host-, %s", async (_, provider) => {
    const sessionToken = { name: "__Host-session", options: { sameSite: "none", secure: true, path: "/" } } as const
    const { host, lure, ownerOf } = openAttack({ strategy, provider, cookies: { sessionToken } })
    await host.browser.signIn("oidc")
    await lure(host.browser)
    expect(await ownerOf("other", "mallory")).toBeNull()
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
  })

  it.each(ways)("LINK-07: links nothing if Mallory began it signed in as herself, %s", async (_, provider) => {
    const { host, lure, ownerOf } = openAttack({ strategy, provider })
    const mallory = host.newBrowser()
    host.idp.signInAs({ sub: "mallory-at-oidc", name: "Mallory", email: "m@evil.test" })
    await mallory.signIn("oidc")
    host.idp.signInAs({ sub: "ada", name: "Ada Lovelace", email: "ada@example.com" })
    await host.browser.signIn("oidc")
    const victim = await ownerOf("oidc", "ada")
    await lure(host.browser, mallory)
    expect((await ownerOf("other", "mallory"))?.id).not.toBe(victim?.id)
  })

  it.each(ways.filter(([, { checks }]) => !checks?.some((check) => check === "none")))(
    "CSRF-14: does not sign a signed-out visitor in as the attacker, %s",
    async (_, provider) => {
      const { host, lure, other } = openAttack({ strategy, provider })
      const page = await lure(host.browser)
      expect(pathOfPage(page)).toBe("/auth/error?error=Configuration")
      expect(host.logger.errorTypes()).toEqual(["InvalidCheck"])
      expect([await host.browser.session(), other.requests.token]).toEqual([null, []])
      // The visitor's own sign-in works in spite of the planted cookies.
      expect((await host.browser.signIn("oidc", { callbackUrl: "/in" })).url.pathname).toBe("/in")
      expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
    },
  )
})

describe.each(strategies)("a sign-in that began signed out, with %s sessions", (strategy) => {
  it.each(ways.filter(([name]) => !name.includes("form post")))(
    "LINK-07: does not become a link when a user signs in in another tab meanwhile, %s",
    async (_, provider) => {
      const { host, ownerOf } = openAttack({ strategy, provider })
      const { location } = await post(host.browser, "/auth/signin/other", { callbackUrl: "/in" })
      await host.browser.newTab().signIn("oidc")
      const page = await host.browser.open(location ?? "")
      expect(pathOfPage(page)).toBe("/auth/signin?error=OAuthAccountNotLinked")
      expect(await ownerOf("other", "mallory")).toBeNull()
      expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
    },
  )

  it("completes where the account is that of the user who signed in meanwhile", async () => {
    const { host } = openAttack({ strategy, provider: {} })
    await host.newBrowser().signIn("oidc")
    const { location } = await post(host.browser, "/auth/signin/oidc", { callbackUrl: "/in" })
    await host.browser.newTab().signIn("oidc")
    expect((await host.browser.open(location ?? "")).url.pathname).toBe("/in")
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
  })
})

describe.each(strategies)("a sign-in that the signed-in user began, with %s sessions", (strategy) => {
  it.each([ways[0], ways[4], ways[5]].flatMap((way) => (way ? [way] : [])))(
    "links the account, %s",
    async (_, provider) => {
      const { host, ownerOf } = openAttack({ strategy, provider })
      await host.browser.signIn("oidc")
      expect((await host.browser.signIn("other", { callbackUrl: "/in" })).url.pathname).toBe("/in")
      expect((await ownerOf("other", "mallory"))?.id).toBe((await ownerOf("oidc", "ada-1815"))?.id)
    },
  )

  it("LINK-07: links nothing with the check none, which does not tell who began it", async () => {
    const { host, ownerOf } = openAttack({ strategy, provider: { checks: ["none"] } })
    await host.browser.signIn("oidc")
    const page = await host.browser.signIn("other")
    expect(pathOfPage(page)).toBe("/auth/signin?error=OAuthAccountNotLinked")
    expect(await ownerOf("other", "mallory")).toBeNull()
    expect(host.logger.errors[0]?.message).toContain('checks: ["none"]')
  })
})
