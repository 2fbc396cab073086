import { Auth } from "@latchkey/core"
import { providerLogout } from "@latchkey/core/provider-logout"
import type { AuthConfig } from "@latchkey/core/types"
import { expect, it } from "vitest"
import { createBrowser } from "../browser/browser.js"
import { fakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { describeBehavior } from "./behavior.js"
import { integrationConfig } from "./server-under-test.js"

/** A request of a user who signed in with an OpenID Connect provider. */
export interface LeavingVisit {
  readonly config: AuthConfig
  /** The `Cookie` header. */
  readonly cookie: string
  /** What the call of `signOut` says. */
  readonly atProvider: boolean | undefined
}

/**
 * Registers a test of an integration's `signOut` with `atProvider`.
 * @param signOut Calls it for a POST request at the origin, with `redirectTo: "/bye"`. Returns where it leads.
 * @param origin Default: `http://app.test`.
 */
export function testProviderSignOut(
  signOut: (visit: LeavingVisit) => Promise<string | null>,
  origin = "http://app.test",
): void {
  describeBehavior("functions for one request", () => {
    it("signs out at the provider if the call says so, and else in the app alone", async () => {
      const idp = fakeIdentityProvider()
      const config = {
        ...integrationConfig(),
        basePath: "/auth",
        providers: [idp.provider()],
        providerLogout: providerLogout(),
      }
      const handler = (request: Request) => Auth(request, config)
      const browser = createBrowser({ handler, origin, basePath: "/auth", network: { [idp.origin]: idp.handler } })
      await browser.signIn("oidc", { callbackUrl: `${origin}/auth/session` })
      const cookie = browser.cookies
        .list()
        .map(({ name, value }) => `${name}=${value}`)
        .join("; ")
      const left = new URL((await signOut({ config, cookie, atProvider: true })) ?? "")
      expect([left.origin, left.pathname]).toEqual(["https://idp.test", "/logout"])
      expect(left.searchParams.get("id_token_hint")).toBe(idp.issued.find(({ name }) => name === "id token")?.value)
      expect(left.searchParams.get("post_logout_redirect_uri")).toMatch(/\/auth\/signed-out$/)
      for (const atProvider of [false, undefined]) {
        expect(await signOut({ config, cookie, atProvider })).toMatch(/^http[^?]+\/bye$/)
      }
    })
  })
}
