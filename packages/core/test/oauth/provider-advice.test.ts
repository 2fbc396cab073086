import type { OIDCUserConfig } from "@latchkey/core/types"
import { type FaultName, fakeIdentityProvider } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

const origin = "http://localhost:3000"
const redirectUri = `${origin}/auth/callback/my-idp`

interface Failing {
  readonly options?: OIDCUserConfig
  /** Of the token endpoint. */
  readonly answer?: () => Response
  readonly fault?: FaultName
}

/** Signs in on a developer's machine and in production, and returns the logged message and the texts of the pages. */
async function failingWith({ options = {}, answer, fault }: Failing) {
  const seen = []
  for (const environment of ["development", "production"]) {
    vi.stubEnv("NODE_ENV", environment)
    const idp = fakeIdentityProvider({ clients: [{ client_id: "rp", redirect_uris: [redirectUri] }] })
    if (answer) idp.faults.turnOn({ response: (sent, { endpoint }) => (endpoint === "token" ? answer() : sent) })
    if (fault) idp.faults.turnOn(fault)
    const providers = [idp.provider({ id: "my-idp", ...options })]
    const host = openHost({ idp, providers, origin, session: { strategy: "jwt" } })
    const page = await host.browser.signIn("my-idp")
    const text = page.text().replaceAll("&quot;", '"')
    seen.push({ message: String(host.logger.errors[0]?.message), text })
  }
  const [development, production] = seen
  return { message: development?.message ?? "", box: development?.text ?? "", page: production?.text ?? "" }
}

const answering = (status: number, error: string, error_description?: string) => () =>
  Response.json({ error, error_description }, { status })

describe("a failed sign-in at a provider", () => {
  it.each<[string, Failing, readonly string[]]>([
    [
      "a wrong client secret",
      { options: { clientSecret: "a-wrong-secret" } },
      ["token endpoint", "status 401", "invalid_client", "providers.my-idp.clientSecret (AUTH_MY_IDP_SECRET)"],
    ],
    [
      "a negative lifetime",
      { answer: () => Response.json({ access_token: "a", token_type: "bearer", expires_in: -1 }) },
      ["lifetime", "providers.my-idp.token.conform"],
    ],
    [
      "client credentials that GitHub refuses with status 200",
      { answer: answering(200, "incorrect_client_credentials", "The client_id passed is incorrect.") },
      ["status 200", "incorrect_client_credentials", "passed is incorrect", "clientId (AUTH_MY_IDP_ID)"],
    ],
    [
      "a status 401 without an error",
      { answer: () => new Response("no", { status: 401, headers: { "www-authenticate": "Basic realm=x" } }) },
      [
        "status 401",
        "AUTH_MY_IDP_SECRET",
        'token_endpoint_auth_method "client_secret_basic"',
        `Register exactly ${redirectUri}`,
      ],
    ],
    [
      "a redirect URI that is not registered",
      { answer: answering(400, "redirect_uri_mismatch", "Bad Request") },
      ["status 400", "redirect_uri_mismatch", `Register exactly ${redirectUri}`],
    ],
    [
      "a code that the provider refuses",
      { answer: answering(400, "invalid_grant", "Code not valid") },
      ["invalid_grant", "Code not valid", redirectUri],
    ],
    [
      "a missing openid scope",
      { answer: () => Response.json({ access_token: "an-access-token", token_type: "bearer" }) },
      ["no ID token", 'Add "openid" to providers.my-idp.authorization.params.scope'],
    ],
    ["a clock that is behind", { fault: "id-token-from-the-future" }, ["in the future", "this server's clock"]],
    ["a clock that is ahead", { fault: "id-token-expired" }, ["this server's clock", "advanced.clockToleranceSeconds"]],
    ["another audience", { fault: "id-token-aud-wrong" }, ['"aud"', "AUTH_MY_IDP_ID"]],
    [
      "another issuer",
      { fault: "discovery-issuer-wrong" },
      ["https://idp.test/.well-known/openid-configuration", "names the issuer", "AUTH_MY_IDP_ISSUER"],
    ],
    [
      "an issuer without a discovery document",
      { options: { issuer: "https://idp.test/no-such-tenant" } },
      ["status 404", "https://idp.test/no-such-tenant/.well-known/openid-configuration", "AUTH_MY_IDP_ISSUER"],
    ],
  ])("a failure by %s is explained in the log and to the developer, and not to visitors", async (_, failing, parts) => {
    const { message, box, page } = await failingWith(failing)
    for (const part of parts) {
      expect(message).toContain(part)
      expect(box).toContain(part)
    }
    for (const hidden of ["a-wrong-secret", "an-access-token", "AUTH_", "status 4"]) expect(page).not.toContain(hidden)
    expect(message + box).not.toContain("a-wrong-secret")
  })

  it("LOG-02: is explained without what the provider repeats", async () => {
    const echoed = "Client secret s3cr3t-of-the-client is wrong; assertion eyJhbGciOiJIUzI1NiJ9.e30.sig"
    const { message } = await failingWith({
      options: { clientSecret: "s3cr3t-of-the-client" },
      answer: answering(401, "invalid_client", echoed),
    })
    expect(message).toContain("Client secret [withheld] is wrong; assertion [withheld]")
  })

  it.each(["redirect_uri_mismatch", "invalid_client", "unauthorized_client", "invalid_request"])(
    "by the error %s of the authorization endpoint names the callback URL to register",
    async (error) => {
      const host = openHost({ session: { strategy: "jwt" } })
      await host.browser.open(`/auth/callback/oidc?error=${error}`)
      const message = host.logger.errors[0]?.message
      expect(message).toContain("Register exactly https://app.test/auth/callback/oidc as redirect URI")
    },
  )

  it("an error of the authorization endpoint is logged with its description and what to check", async () => {
    const host = openHost({ session: { strategy: "jwt" } })
    const query = "error=unauthorized_client&error_description=The+client+is+disabled."
    await host.browser.open(`/auth/callback/oidc?${query}`)
    expect(host.logger.errors[0]?.message).toMatch(
      /^The provider answered "unauthorized_client": The client is disabled\. Check .*AUTH_OIDC_SECRET/,
    )
  })
})
