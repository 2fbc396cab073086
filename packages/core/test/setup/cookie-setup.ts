import { createHash } from "node:crypto"
import { customFetch } from "@latchkey/core"
import {
  type AccessToken,
  type AccessTokensOptions,
  AccessTokenUnavailable,
  accessTokens,
  disconnectAccount,
  getAccessToken,
} from "@latchkey/core/access-tokens"
import type { Adapter } from "@latchkey/core/adapters"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { type Browser, fakeIdentityProvider, memoryAdapter, type TestHostOptions } from "@latchkey/testkit"
import { openHost } from "./hosts.js"

const revocation = "https://idp.test/revoke"

type Fault = (answer: () => Promise<Response>) => Promise<Response>

/** An adapter without the methods for tokens, such as the published ones. */
export function publishedAdapter(): Adapter {
  const { takeLease, dropLease, replaceTokens, getAccount, listAccountsByUserId, consumeOnce, ...methods } =
    memoryAdapter()
  return methods
}

/** The kinds of host whose tokens are kept in cookies. */
export const ways: readonly (readonly [string, () => Partial<AuthConfig>])[] = [
  ["without an adapter", () => ({})],
  ["a published adapter and JWT sessions", () => ({ adapter: publishedAdapter(), session: { strategy: "jwt" } })],
  ["a published adapter and stored sessions", () => ({ adapter: publishedAdapter() })],
  [
    "tracked sessions",
    () => ({ adapter: memoryAdapter(), session: { strategy: "jwt", track: trackSessions({ checkEvery: 0 }) } }),
  ],
]

/** What a page of the app answers. Of the access token, its hash. */
export interface TokenAnswer extends Partial<AccessToken> {
  readonly reason?: string
}

type CookieHostOptions = Omit<TestHostOptions, "providers" | "app" | "adapter"> & {
  readonly adapter?: Adapter | undefined
  readonly kept?: AccessTokensOptions
}

/**
 * A host that keeps tokens in cookies, with two pages: `/token`, whose response sets cookies, and `/component`, whose cannot.
 * Its second provider is an app of the first one with the id `work`.
 */
export function openCookieHost({ kept = { keep: "cookie" }, ...changes }: CookieHostOptions = {}) {
  const idp = fakeIdentityProvider({ metadata: { revocation_endpoint: revocation } })
  const revoked: string[] = []
  /** What happens to the calls of the token endpoint, beginning with the next one. */
  const faults: Fault[] = []
  const fetchOf: typeof fetch = async (input, init) => {
    if (String(input) === revocation) {
      revoked.push(new URLSearchParams(String(init?.body)).get("token") ?? "")
      return new Response(null)
    }
    const fault = String(input).includes("/token") ? faults.shift() : undefined
    return fault ? fault(() => idp.fetch(input, init)) : idp.fetch(input, init)
  }
  const provider = { [customFetch]: fetchOf }
  const host = openHost({
    idp,
    accessTokens: accessTokens(kept),
    providers: ["oidc", "work", "third"].map((id) => idp.provider({ ...provider, id })),
    app: (request) => answerPage(request, host.config),
    ...changes,
  })

  async function read(answer: Response): Promise<TokenAnswer> {
    return (await answer.json()) as TokenAnswer // as: what the page answers
  }
  return {
    host,
    idp,
    faults,
    /** The tokens that the provider revoked. */
    revoked,
    /** Asks on a page whose response can set cookies, which the browser takes over. */
    ask: async (browser: Browser, query = "") => read(await browser.fetch(`/token${query}`)),
    /** Asks on a page whose response cannot set cookies. */
    askInComponent: async (browser: Browser) => read(await browser.fetch("/component")),
    read,
    /** Asks another process: it has the same configuration, and shares its stores. */
    askAt: async (browser: Browser, config: Omit<AuthConfig, "raw">) =>
      read(await answerPage(new Request("https://app.test/token", { headers: { cookie: headerOf(browser) } }), config)),
    /** A response that the browser has not got yet. */
    send: (browser: Browser, path = "/token") =>
      host.handler(new Request(`https://app.test${path}`, { headers: { cookie: headerOf(browser) } })),
    refreshes: () => idp.requests.token.filter(({ params }) => params.get("grant_type") === "refresh_token").length,
    /** The names of the token cookies of a browser. */
    cookies: (browser: Browser) => browser.cookies.names().filter((name) => name.includes("authjs.tokens.")),
  }
}

export function headerOf(browser: Browser): string {
  return browser.cookies
    .list()
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ")
}

/** The token cookies that a response sets. */
export const setTokens = (response: Response): readonly string[] =>
  response.headers.getSetCookie().filter((line) => line.includes("authjs.tokens."))

/** Gives a response to a browser. */
export function deliver(response: Response, browser: Browser): void {
  for (const line of response.headers.getSetCookie()) {
    const [pair = ""] = line.split(";")
    const name = pair.slice(0, pair.indexOf("="))
    if (line.includes("Max-Age=0")) browser.cookies.delete(name)
    else browser.cookies.set(name, pair.slice(name.length + 1))
  }
}

async function answerPage(request: Request, config: Omit<AuthConfig, "raw">): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const headers = new Headers({ "content-type": "application/json" })
  const provider = searchParams.get("provider") ?? "oidc"
  const account = searchParams.get("account")
  const options = { provider, ...(account !== null && { providerAccountId: account }) }
  const answer = async (): Promise<object> => {
    if (pathname === "/unlink") return disconnectAccount(request, config, { ...options, headers })
    const found = await getAccessToken(request, config, { ...options, ...(pathname === "/token" && { headers }) })
    // No token leaves the server: a test of the responses searches for them.
    return { ...found, accessToken: createHash("sha256").update(found.accessToken).digest("hex") }
  }
  try {
    return new Response(JSON.stringify(await answer()), { headers })
  } catch (error) {
    if (error instanceof AccessTokenUnavailable) {
      return new Response(JSON.stringify({ reason: error.reason }), { status: 503, headers })
    }
    throw error
  }
}
