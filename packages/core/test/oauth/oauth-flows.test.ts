import { encode } from "@latchkey/core/jwt"
import { fakeIdentityProvider, memoryAdapter, type TestHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post } from "../setup/requests.js"
import { expectQuiet, pathOf } from "../setup/sign-ins.js"

/** Begins a flow and signs in at the provider; returns the callback URL. */
async function beginFlow({ browser, idp }: TestHost, callbackUrl = "/in", id = "oidc"): Promise<string> {
  const { location } = await post(browser, `/auth/signin/${id}`, { callbackUrl })
  const sent = await idp.handler(new Request(location ?? ""))
  return sent.headers.get("location") ?? ""
}

const checkCookies = ({ browser }: TestHost) => browser.cookies.names().filter((name) => /state|nonce|pkce/.test(name))
const refused = "/auth/error?error=Configuration"

describe("several tabs", () => {
  it.each([
    ["in the order in which they began", [0, 1, 2]],
    ["in the opposite order", [2, 1, 0]],
  ])("OAU-06: complete their flows %s, each at its own callback URL", async (_, order) => {
    const host = openHost()
    const returns = [await beginFlow(host, "/a"), await beginFlow(host, "/b"), await beginFlow(host, "/c")]
    for (const tab of order) {
      const answer = await get(host.browser, returns[tab] ?? "")
      expect(answer.location).toBe(`https://app.test/${"abc"[tab]}`)
    }
    expect([host.logger.errors, checkCookies(host)]).toEqual([[], []])
  })

  it("are limited to five: the oldest flow is dropped, and its callback is rejected", async () => {
    const host = openHost()
    const returns: string[] = []
    for (let tab = 0; tab < 6; tab++) returns.push(await beginFlow(host, `/${tab}`))
    expect(checkCookies(host)).toHaveLength(15)
    const [oldest = "", ...others] = returns
    expect(pathOf((await get(host.browser, oldest)).location)).toBe(refused)
    expect(host.logger.errorTypes()).toEqual(["InvalidCheck"])
    for (const address of others)
      expect((await get(host.browser, address)).location).toMatch(/^https:\/\/app\.test\/\d$/)
  })

  it("at two providers do not affect each other", async () => {
    const other = fakeIdentityProvider({ issuer: "https://idp2.test", person: { sub: "2", name: "Grace" } })
    const host = openHost({ providers: ({ idp }) => [idp.provider(), other.provider({ id: "oidc2" })] })
    const first = await beginFlow(host, "/a")
    const begun = await post(host.browser, "/auth/signin/oidc2", { callbackUrl: "/b" })
    const second = (await other.handler(new Request(begun.location ?? ""))).headers.get("location") ?? ""
    expect((await get(host.browser, first)).location).toBe("https://app.test/a")
    expect((await get(host.browser, second)).location).toBe("https://app.test/b")
    expect((await host.browser.session())?.user?.name).toBe("Grace")
  })
})

describe("a callback of another flow", () => {
  it("OAU-03, OAU-17: is rejected when its state belongs to another provider", async () => {
    const host = openHost({ providers: ({ idp }) => [idp.provider(), idp.provider({ id: "oidc2" })] })
    const address = await beginFlow(host, "/in", "oidc2")
    const answer = await get(host.browser, address.replace("/callback/oidc2", "/callback/oidc"))
    expect([pathOf(answer.location), host.logger.errorTypes()]).toEqual([refused, ["InvalidCheck"]])
    expect(host.idp.requests.token).toEqual([])
    await expectQuiet(host, host.browser)
  })

  it.each(["state", "pkce", "nonce"])(
    "OAU-07: is rejected without the %s cookie, before the token request",
    async (check) => {
      const host = openHost()
      const address = await beginFlow(host)
      for (const name of checkCookies(host)) if (name.includes(check)) host.browser.cookies.delete(name)
      const answer = await get(host.browser, address)
      expect([pathOf(answer.location), host.logger.errorTypes()]).toEqual([refused, ["InvalidCheck"]])
      expect(host.idp.requests.token).toEqual([])
      await host.browser.signIn("oidc")
      expect(await host.browser.session()).not.toBeNull()
    },
  )

  it("OAU-02: is rejected with a state that we sealed but did not send", async () => {
    const host = openHost()
    const address = new URL(await beginFlow(host))
    const flow = checkCookies(host)
      .find((name) => name.includes(".state."))
      ?.split(".")
      .at(-1)
    const secret = host.config.secret ?? ""
    const other = await encode({ token: { random: "0".repeat(32), flow }, secret, salt: "encodedState", maxAge: 900 })
    address.searchParams.set("state", other)
    const answer = await get(host.browser, address.href)
    expect([pathOf(answer.location), host.logger.errorTypes()]).toEqual([refused, ["InvalidCheck"]])
    expect(host.idp.requests.token).toEqual([])
  })

  it("is rejected with the check cookies of another flow", async () => {
    const host = openHost()
    const address = await beginFlow(host)
    const [flow = ""] = /\.[^.]+$/.exec(checkCookies(host)[0] ?? "") ?? []
    const other = host.newBrowser()
    const second = await beginFlow({ ...host, browser: other })
    const [otherFlow = ""] = /\.[^.]+$/.exec(checkCookies({ ...host, browser: other })[0] ?? "") ?? []
    for (const { name, value } of other.cookies.list()) host.browser.cookies.set(name.replace(otherFlow, flow), value)
    for (const path of [address, second]) expect(pathOf((await get(host.browser, path)).location)).toBe(refused)
    expect(host.logger.errorTypes()).toEqual(["InvalidCheck", "InvalidCheck"])
  })
})

describe("RFC 9207", () => {
  it("compares nothing if the app configures no issuer", async () => {
    const host = openHost({
      providers: ({ idp }) => {
        const { issuer: _, ...provider } = idp.oauthProvider()
        return [provider]
      },
    })
    await host.browser.signIn("oauth")
    expect(await host.browser.session()).not.toBeNull()
  })
})

describe("a redirect proxy", () => {
  const secret = "shared-by-the-proxy-and-its-previews"
  const proxyUrl = "https://app.test/auth"

  function openPair(overrides: { redirectProxyUrl?: string } = {}) {
    const idp = fakeIdentityProvider({
      clients: [{ client_id: "rp", redirect_uris: ["https://app.test/auth/callback/oidc"] }],
    })
    const shared = {
      idp,
      secret,
      providers: [idp.provider({ checks: ["pkce"] })],
      redirectProxyUrl: proxyUrl,
      allowedOrigins: ["https://app.test", "https://preview.test"],
      ...overrides,
    }
    const proxy = openHost(shared)
    const preview = openHost({
      ...shared,
      origin: "https://preview.test",
      network: { "https://app.test": proxy.handler },
    })
    return { idp, proxy, preview }
  }

  it("forwards the callback of a preview without signing in", async () => {
    const { idp, proxy, preview } = openPair()
    const page = await preview.browser.signIn("oidc", { callbackUrl: "/in" })
    expect(page.url.href).toBe("https://preview.test/in")
    expect((await preview.browser.session())?.user?.name).toBe("Ada Lovelace")
    expect(page.hops.map(({ url }) => url.origin + url.pathname)).toEqual([
      "https://idp.test/authorize",
      "https://app.test/auth/callback/oidc",
      "https://preview.test/auth/callback/oidc",
      "https://preview.test/in",
    ])
    expect(proxy.events.names()).toEqual([])
    expect(idp.requests.token.map(({ params }) => params.get("redirect_uri"))).toEqual([`${proxyUrl}/callback/oidc`])
  })

  it("completes its own sign-ins", async () => {
    const { proxy } = openPair()
    expect((await proxy.browser.signIn("oidc", { callbackUrl: "/in" })).url.href).toBe("https://app.test/in")
    expect(await proxy.browser.session()).not.toBeNull()
  })

  it("HOST-07: rejects a changed state", async () => {
    const { idp, proxy, preview } = openPair()
    idp.faults.turnOn("state-changed")
    const page = await preview.browser.signIn("oidc")
    expect([page.url.origin, page.url.search]).toEqual(["https://app.test", "?error=Configuration"])
    expect([proxy.logger.errorTypes(), preview.answers.some(({ url }) => url.includes("callback"))]).toEqual([
      ["InvalidCheck"],
      false,
    ])
  })

  it("a provider's redirect proxy overrides the configuration's", async () => {
    const idp = fakeIdentityProvider()
    const host = openHost({
      idp,
      redirectProxyUrl: "https://one.test/auth",
      providers: [idp.provider({ redirectProxyUrl: "https://two.test/auth/" })],
    })
    const { location } = await post(host.browser, "/auth/signin/oidc")
    expect(new URL(location ?? "").searchParams.get("redirect_uri")).toBe("https://two.test/auth/callback/oidc")
  })

  it("is not used for form posts", async () => {
    const authorization = { params: { response_mode: "form_post" } }
    const host = openHost({
      redirectProxyUrl: "https://one.test/auth",
      providers: ({ idp }) => [idp.provider({ authorization })],
    })
    const { location } = await post(host.browser, "/auth/signin/oidc")
    expect(new URL(location ?? "").searchParams.get("redirect_uri")).toBe("https://app.test/auth/callback/oidc")
  })

  it("must be a URL", async () => {
    const host = openHost({ redirectProxyUrl: "nowhere" })
    expect((await get(host.browser, "/auth/session")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual(["InvalidConfiguration"])
  })
})

describe("the account that is stored", () => {
  const openStored = (overrides = {}) => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter, providers: ({ idp }) => [idp.provider(overrides)] })
    const stored = () => adapter.calls.filter(({ method }) => method === "linkAccount").map(({ args }) => args[0])
    return { host, stored }
  }
  const identity = { provider: "oidc", type: "oidc", providerAccountId: "ada-1815", userId: expect.any(String) }

  it("OAU-51: has the usual fields of the token set and no others", async () => {
    const { host, stored } = openStored()
    host.idp.faults.turnOn("tokens-with-strange-members")
    await host.browser.signIn("oidc")
    const text = expect.any(String)
    expect(stored()).toStrictEqual([
      {
        ...identity,
        access_token: text,
        id_token: text,
        refresh_token: text,
        expires_at: expect.any(Number),
        scope: text,
        token_type: "bearer",
      },
    ])
  })

  it.each([
    [
      "the fields that the account callback returned",
      ({ scope }: { scope?: string }) => ({ ...(scope && { scope }) }),
      { scope: "openid profile email" },
    ],
    ["no fields of the token set if the account callback returns nothing", () => undefined, {}],
  ])("has %s", async (_, account, fields) => {
    const { host, stored } = openStored({ account })
    await host.browser.signIn("oidc")
    expect(stored()).toStrictEqual([{ ...fields, ...identity }])
  })

  it("is sent as stored to linkAccount, and in full to signIn", async () => {
    const { host } = openStored({ account: () => undefined })
    await host.browser.signIn("oidc")
    const stored = { provider: "oidc", providerAccountId: "ada-1815", type: "oidc" }
    expect(host.events.of("linkAccount").map(({ account }) => account)).toEqual([stored])
    const whole = { ...stored, access_token: expect.any(String), expires_in: 3600 }
    expect(host.events.of("signIn")).toMatchObject([{ account: whole }])
  })
})
