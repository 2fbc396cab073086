import { Auth } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import { readSignOutForm, type SignInRequest, type SignOutRequest, type UserAuth } from "@latchkey/core/integration"
import { createBrowser, fakeIdentityProvider, fixedClock } from "@latchkey/testkit"
import { integrationConfig, testUserAuth } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import type { SignInOptions, SignOutOptions } from "../src/actions.js"
import { NextAuth } from "../src/next-auth.js"
import { RedirectError } from "./doubles/navigation.js"
import { RequestScope, scopes } from "./doubles/request-scope.js"
import { NextRequest } from "./doubles/server.js"

function providerOf(form: FormData | SignInRequest = {}): string | undefined {
  return form instanceof FormData ? String(form.get("providerId")) : form.providerId
}

function toOptions(form: FormData | SignInRequest = {}): FormData | SignInOptions {
  if (form instanceof FormData) return form
  return { ...form.fields, ...(form.redirectTo !== undefined && { redirectTo: form.redirectTo }) }
}

function toSignOutOptions(form: FormData | SignOutRequest = {}): SignOutOptions {
  return (form instanceof FormData ? readSignOutForm(form) : form) as SignOutOptions // as: undefined members count as missing.
}

async function redirectUrl(action: Promise<unknown>): Promise<string> {
  const thrown: unknown = await action.then(() => undefined).catch((error: unknown) => error)
  if (thrown instanceof RedirectError) return thrown.url
  throw thrown
}

/** As Next answers a redirect of a component. */
function toResponse(error: unknown): Response {
  if (!(error instanceof RedirectError)) throw error
  return new Response(null, { status: 303, headers: { location: error.url } })
}

describe("The members of NextAuth()", () => {
  testUserAuth(
    (config, route) => {
      const app = NextAuth(config)
      const { auth, handlers, signIn, signOut, unstable_update, ...members } = app
      async function handler(request: Request): Promise<Response> {
        const { pathname, search, host } = new URL(request.url)
        const headers = new Headers(request.headers)
        headers.set("x-forwarded-host", host)
        headers.set("x-forwarded-proto", "http")
        if (pathname !== "/form") {
          const { method, body } = request
          const init: RequestInit & { duplex: "half" } = { method, headers, body, duplex: "half" }
          const serve = method === "POST" ? handlers.POST : handlers.GET
          return await serve(new NextRequest(`http://localhost:3000${pathname}${search}`, init))
        }
        const scope = new RequestScope(headers)
        const own: UserAuth<never> = {
          ...members,
          session: null,
          signIn: (form) => redirectUrl(signIn(providerOf(form), toOptions(form))),
          signOut: (form) => redirectUrl(signOut(toSignOutOptions(form))),
        }
        const answer = await scopes.run(scope, () => route(own).catch(toResponse))
        const sent = new Response(answer?.body ?? null, answer ?? {})
        // Next forbids to store the answer of an action.
        sent.headers.set("cache-control", "no-cache, no-store, max-age=0")
        for (const line of scope.setCookies) sent.headers.append("set-cookie", line)
        return sent
      }
      return { origin: "http://app.test", handler }
    },
    { needsOrigin: false, knowsMethod: false, renewsLast: false, renews: "never", knowsPage: false },
  )

  it("refresh no token that is kept in a cookie in a server component", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const config = {
      ...integrationConfig(),
      providers: [idp.provider()],
      accessTokens: accessTokens({ keep: "cookie" }),
    }
    const auth = NextAuth(config)
    const browser = createBrowser({
      handler: (request) => Auth(request, config),
      origin: "https://app.test",
      basePath: "/auth",
      network: { [idp.origin]: idp.handler },
    })
    await browser.signIn("oidc")
    clock.advance({ hours: 2 })
    const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const headers = { cookie: cookie.join("; "), "x-forwarded-host": "app.test", "x-forwarded-proto": "https" }
    const component = new RequestScope(new Headers(headers), { isComponent: true })
    const ask = () => auth.getAccessToken({ provider: "oidc" })
    await expect(scopes.run(component, ask)).rejects.toMatchObject({ reason: "cannot-write" })
    expect(idp.requests.token).toHaveLength(1)
    expect(await scopes.run(new RequestScope(new Headers(headers)), ask)).toMatchObject({ tokenType: "bearer" })
  })
})
