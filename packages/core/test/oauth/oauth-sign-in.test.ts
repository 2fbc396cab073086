import { customFetch } from "@latchkey/core"
import type { OAuthCheck, OIDCUserConfig, OidcCheck } from "@latchkey/core/types"
import { type ClientAuthMethod, fakeIdentityProvider, type TestHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { post, readAnswer } from "../setup/requests.js"
import { pathOf } from "../setup/sign-ins.js"

const openOidc = (overrides: OIDCUserConfig, options = {}) =>
  openHost({ providers: ({ idp }) => [idp.provider(overrides)], ...options })

async function expectSignedIn({ browser }: TestHost, id = "oidc"): Promise<void> {
  expect((await browser.signIn(id, { callbackUrl: "/in" })).url.href).toBe("https://app.test/in")
  expect((await browser.session())?.user?.email).toBe("ada@example.com")
}

describe("the authorization request", () => {
  it("has the client id, the scope and the redirect URI", async () => {
    const host = openHost()
    await host.browser.signIn("oidc")
    const params = Object.fromEntries(host.idp.requests.authorization[0]?.params ?? [])
    expect(params).toEqual({
      client_id: "rp",
      response_type: "code",
      redirect_uri: "https://app.test/auth/callback/oidc",
      scope: "openid profile email",
      state: expect.stringMatching(/./),
      nonce: expect.stringMatching(/^.{22,}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    })
  })

  it.each<[readonly OidcCheck[], readonly string[]]>([
    [["pkce"], ["code_challenge", "state"]],
    [["state"], ["state"]],
    [["nonce"], ["nonce", "state"]],
    [
      ["pkce", "state"],
      ["code_challenge", "state"],
    ],
    [
      ["pkce", "nonce"],
      ["code_challenge", "nonce", "state"],
    ],
    [
      ["pkce", "state", "nonce"],
      ["code_challenge", "nonce", "state"],
    ],
    [["none"], []],
  ])("OAU-08: an authorization request with the checks %j has %j, and the sign-in completes", async (checks, names) => {
    const host = openOidc({ checks })
    await expectSignedIn(host)
    const params = host.idp.requests.authorization[0]?.params
    expect(["code_challenge", "nonce", "state"].filter((name) => params?.has(name))).toEqual(names)
    const verifier = host.idp.requests.token[0]?.params.get("code_verifier") ?? null
    expect(verifier !== null).toBe(checks.includes("pkce"))
    if (verifier !== null) expect(verifier).toMatch(/^[\w.~-]{43,128}$/)
  })

  it.each<[readonly OAuthCheck[]]>([[["pkce"]], [["state"]], [["pkce", "state"]], [["none"]]])(
    "plain OAuth completes with checks %j",
    async (checks) => {
      await expectSignedIn(openHost({ providers: ({ idp }) => [idp.oauthProvider({ checks })] }), "oauth")
    },
  )

  it("uses PKCE by default", async () => {
    const host = openHost({
      providers: ({ idp }) => {
        const { checks: _, ...provider } = idp.provider()
        return [provider]
      },
    })
    await expectSignedIn(host)
    expect(host.idp.requests.token[0]?.params.has("code_verifier")).toBe(true)
  })

  it("is different each time", async () => {
    const host = openHost()
    await host.browser.signIn("oidc")
    await host.newBrowser().signIn("oidc")
    for (const name of ["state", "nonce", "code_challenge"]) {
      const [first, second] = host.idp.requests.authorization.map(({ params }) => params.get(name))
      expect(first).not.toBe(second)
    }
  })

  it("has the provider's parameters, then the visitor's; the last duplicate counts", async () => {
    const host = openHost({
      providers: ({ idp }) => [
        idp.provider({
          authorization: {
            url: "https://idp.test/authorize?audience=api&prompt=none",
            params: { prompt: "login", claims: { userinfo: { email: null } }, scope: "openid email profile" },
          },
        }),
      ],
    })
    const { location } = await post(host.browser, "/auth/signin/oidc?login_hint=a&login_hint=ada&prompt=consent")
    const { searchParams } = new URL(location ?? "")
    expect(Object.fromEntries(searchParams)).toMatchObject({
      audience: "api",
      prompt: "consent",
      login_hint: "ada",
      scope: "openid email profile",
      claims: '{"userinfo":{"email":null}}',
    })
  })
})

describe("the token request", () => {
  it.each<ClientAuthMethod>(["client_secret_basic", "client_secret_post", "client_secret_jwt", "none"])(
    "OAU-47: authenticates the client with %s, with special characters in id and secret",
    async (token_endpoint_auth_method) => {
      const idp = fakeIdentityProvider({
        clients: [{ client_id: "a:b c", client_secret: "p%&+é p%&+é p%&+é", token_endpoint_auth_method }],
      })
      await expectSignedIn(openHost({ idp }))
    },
  )

  it("KEY-06: fails with a wrong secret, which is not logged", async () => {
    const host = openOidc({ clientSecret: "another secret of the app" })
    host.canaries.watch("the wrong client secret", "another secret of the app")
    const page = await host.browser.signIn("oidc")
    expect([pathOf(page.url.href), host.logger.errorTypes()]).toEqual([
      "/auth/error?error=Configuration",
      ["CallbackRouteError"],
    ])
  })
})

describe("the signature of an ID token", () => {
  it.each(["RS256", "PS256", "ES256", "HS256"] as const)("%s is verified", async (signingAlg) => {
    const clients = [{ client_id: "rp", client_secret: "0123456789abcdef0123456789abcdef" }] as const
    await expectSignedIn(openHost({ idp: fakeIdentityProvider({ signingAlg, clients }) }))
  })
})

describe("options of a provider", () => {
  it("idToken: false takes the profile from userinfo", async () => {
    const host = openOidc({ idToken: false })
    await expectSignedIn(host)
    expect(host.idp.requests.userinfo[0]?.headers.get("authorization")).toMatch(/^Bearer /)
  })

  it("uses the ID token as the profile by default, without a userinfo request", async () => {
    const host = openHost()
    await expectSignedIn(host)
    expect(host.idp.requests.userinfo).toEqual([])
  })

  it("userinfo.request replaces the request, with the tokens and the provider", async () => {
    const asked: unknown[] = []
    const host = openHost({
      providers: ({ idp }) => [
        idp.oauthProvider({
          userinfo: {
            request(context) {
              asked.push([typeof context.tokens.access_token, context.provider.id])
              return { sub: "42", email: "Ada@Example.com", name: "Ada" }
            },
          },
        }),
      ],
    })
    await expectSignedIn(host, "oauth")
    expect([asked, host.idp.requests.userinfo]).toEqual([[["string", "oauth"]], []])
  })

  it("userinfo.params are the query of the request", async () => {
    const host = openHost({
      providers: ({ idp }) => [
        idp.oauthProvider({ userinfo: { url: "https://idp.test/userinfo", params: { fields: "email" } } }),
      ],
    })
    await expectSignedIn(host, "oauth")
    expect(host.idp.requests.userinfo[0]?.url.search).toBe("?fields=email")
  })

  it("token.conform fixes a response before it is read", async () => {
    const host = openHost({
      providers: ({ idp }) => [
        idp.oauthProvider({
          token: {
            url: "https://idp.test/token",
            conform: async (response) => Response.json({ ...(await response.json()), token_type: "bearer" }),
          },
        }),
      ],
    })
    host.idp.faults.turnOn("token-type-missing")
    await expectSignedIn(host, "oauth")
  })

  it("wellKnown sets the URL of the discovery document", async () => {
    const asked: string[] = []
    const host = openHost({
      providers: ({ idp }) => [
        idp.provider({
          wellKnown: "https://idp.test/tenant/openid",
          [customFetch]: async (input, init) => {
            const { href } = new URL(input instanceof Request ? input.url : input)
            asked.push(href)
            return idp.fetch(href.replace("/tenant/openid", "/.well-known/openid-configuration"), init)
          },
        }),
      ],
    })
    await expectSignedIn(host)
    expect(asked[0]).toBe("https://idp.test/tenant/openid")
  })

  it("customFetch makes every call, also when set in options", async () => {
    const asked: string[] = []
    const host = openHost({
      providers: ({ idp }) => {
        const own: typeof fetch = (input, init) => {
          asked.push(new URL(input instanceof Request ? input.url : input).pathname)
          return idp.fetch(input, init)
        }
        return [{ ...idp.provider({ idToken: false }), options: { [customFetch]: own } }]
      },
    })
    await expectSignedIn(host)
    expect(asked).toEqual(["/.well-known/openid-configuration", "/token", "/jwks", "/userinfo"])
  })

  it("options override the provider's fields, including the id", async () => {
    const host = openHost({
      providers: ({ idp }) => [
        { ...idp.provider(), clientId: "", options: { id: "corp", clientId: "rp", name: "Corp" } },
      ],
    })
    await expectSignedIn(host, "corp")
    expect(host.idp.requests.authorization[0]?.params.get("redirect_uri")).toBe("https://app.test/auth/callback/corp")
  })

  it("a missing client id is rejected when the flow begins", async () => {
    const host = openOidc({ clientId: "" })
    const page = await host.browser.signIn("oidc")
    expect([pathOf(page.url.href), host.logger.errorTypes()]).toEqual([
      "/auth/error?error=Configuration",
      ["InvalidConfiguration"],
    ])
    expect(host.logger.texts().join()).toContain("Set it, or AUTH_OIDC_ID in the environment")
  })
})

describe("response_mode=form_post", () => {
  const formPost = { authorization: { params: { response_mode: "form_post" } } }

  it("OAU-18: reads the response from the body and not from the query", async () => {
    const host = openOidc(formPost)
    await expectSignedIn(host)
    const other = openOidc(formPost)
    other.idp.faults.turnOn("answer-in-the-other-mode")
    await other.browser.signIn("oidc")
    expect(await other.browser.session()).toBeNull()
    expect([other.logger.errorTypes(), other.idp.requests.token]).toEqual([["InvalidProvider"], []])
  })

  it("ignores a query beside the body", async () => {
    const host = openOidc(formPost)
    const begun = await post(host.browser, "/auth/signin/oidc")
    const state = new URL(begun.location ?? "").searchParams.get("state") ?? ""
    const query = new URLSearchParams({ code: "c", state })
    const answer = await readAnswer(
      await host.browser.fetch(`/auth/callback/oidc?${query}`, { method: "POST", body: new URLSearchParams() }),
    )
    expect([pathOf(answer.location), host.logger.errorTypes()]).toEqual([
      "/auth/error?error=Configuration",
      ["InvalidCheck"],
    ])
  })
})
