import { customFetch } from "@latchkey/core"
import {
  type AccessTokenOptions,
  AccessTokenUnavailable,
  accessTokens,
  getAccessToken,
} from "@latchkey/core/access-tokens"
import type { AuthConfig } from "@latchkey/core/types"
import { type Browser, fakeIdentityProvider, memoryAdapter, type TestHostOptions } from "@latchkey/testkit"
import { expect } from "vitest"
import { openHost } from "./hosts.js"
import { cookiesOf } from "./tracked-setup.js"

/** What the token endpoint answers. */
export type Token = Record<string, unknown>

interface KeptHostOptions extends Omit<TestHostOptions, "adapter"> {
  /** Whether the host has the option `accessTokens`. */
  readonly isKept?: boolean
}

/** A host whose users have an account at a provider that rotates refresh tokens and takes each of them once. */
export function openKept({ isKept = true, ...changes }: KeptHostOptions = {}) {
  const adapter = memoryAdapter()
  const idp = fakeIdentityProvider()
  /** What happens to the calls of the token endpoint, beginning with the next one. */
  const faults: ((answer: () => Promise<Response>) => Promise<Response>)[] = []
  /** The parts of URLs that do not answer. */
  const outages = new Set<string>()
  const fetchOf: typeof fetch = async (input, init) => {
    if ([...outages].some((part) => String(input).includes(part))) throw new TypeError("fetch failed")
    const fault = String(input).includes("/token") ? faults.shift() : undefined
    return fault ? fault(() => idp.fetch(input, init)) : idp.fetch(input, init)
  }
  const host = openHost({
    adapter,
    idp,
    session: { strategy: "jwt" },
    ...(isKept && { accessTokens: accessTokens() }),
    providers: [idp.provider({ [customFetch]: fetchOf })],
    ...changes,
  })

  async function ask(browser: Browser, options: Partial<AccessTokenOptions> = {}, config = host.config) {
    const request = new Request("https://app.test/", { headers: { cookie: cookiesOf(browser) } })
    return getAccessToken(request, config, { provider: "oidc", ...options })
  }
  return {
    host,
    adapter,
    idp,
    faults,
    outages,
    ask,
    /** Why there is no token. */
    async fail(...values: Parameters<typeof ask>) {
      const error = await ask(...values).catch((thrown: unknown) => thrown)
      if (!(error instanceof AccessTokenUnavailable)) throw error
      return error
    },
    /** Another service, as in another process: it shares the store, and the memory of this process. */
    newProcess: (own: Partial<AuthConfig> = {}): typeof host.config => ({ ...host.config, ...own }),
    refreshes: () => idp.requests.token.filter(({ params }) => params.get("grant_type") === "refresh_token").length,
    /** The only row of the table of accounts. */
    async row() {
      const [user] = await Promise.all([adapter.getUserByEmail("ada@example.com")])
      const [found] = await adapter.listAccountsByUserId(user?.id ?? "")
      return found ?? expect.unreachable()
    },
  }
}

/** Changes the answer of the token endpoint. */
export const changing = (change: (tokens: Token) => Token) => async (answer: () => Promise<Response>) =>
  Response.json(change((await (await answer()).json()) as Token))
