import { createServer, type RequestListener } from "node:http"
import { createRequire } from "node:module"
import { findFreePort } from "@latchkey/testkit/servers"
import type { Page } from "playwright-core"

// An OpenID provider that stands in for a hosted one, with the login pages that its library has for development.

interface OidcProvider {
  callback(): RequestListener
}
const require = createRequire(import.meta.url)
// as: the package has no types.
const { Provider } = require("oidc-provider") as {
  readonly Provider: new (issuer: string, options: object) => OidcProvider
}

export interface IdentityProvider {
  readonly origin: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  stop(): Promise<void>
}

interface ProviderOptions {
  readonly logoutUris?: readonly string[]
  /** Default: its origin. */
  readonly issuer?: string
}

/** Opens a provider with one client. The name that somebody logs in with is the subject and the address. */
export async function openIdentityProvider(
  redirectUris: readonly string[],
  { logoutUris = [], issuer: given }: ProviderOptions = {},
): Promise<IdentityProvider> {
  const port = await findFreePort()
  const origin = `http://localhost:${port}`
  const issuer = given ?? origin
  const clientId = "the-app"
  const clientSecret = "the secret of the app at the provider, 0123456789"
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        post_logout_redirect_uris: logoutUris,
        response_types: ["code"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    cookies: { keys: ["the keys of the provider's own cookies"] },
    pkce: { required: () => false },
    conformIdTokenClaims: false,
    claims: { openid: ["sub", "sid"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_: object, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true, name: "Ada Lovelace" }),
    }),
  })
  const server = createServer(provider.callback())
  await new Promise<void>((resolve) => server.listen(port, "localhost", resolve))
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { origin, issuer, clientId, clientSecret, stop }
}

/** Logs in at the provider's page, where the browser is, and agrees. */
export async function logInAtProvider(page: Page, name: string): Promise<void> {
  await page.waitForURL(/\/interaction\//)
  await page.locator("input[name=login]").fill(name)
  await page.locator("input[name=password]").fill("any password")
  await page.locator("button[type=submit]").click()
  await page.locator("input[name=prompt][value=consent]").waitFor({ state: "attached" })
  await page.locator("button[type=submit]").click()
}
