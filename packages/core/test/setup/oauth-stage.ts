import type { AuthConfig, Provider } from "@latchkey/core/types"
import {
  type FakeIdentityProvider,
  fakeIdentityProvider,
  findLeaks,
  type IdentityProviderOptions,
  type MemoryAdapter,
  memoryAdapter,
  type Page,
  type TestHost,
} from "@latchkey/testkit"
import { expect } from "vitest"
import { openHost } from "./hosts.js"
import { post } from "./requests.js"
import { expectQuiet } from "./sign-ins.js"

export const strategies = ["jwt", "database"] as const
export type Strategy = (typeof strategies)[number]

/**
 * A host with one provider, an identity provider that misbehaves on demand, and a store that records its calls.
 */
export interface OAuthStage {
  readonly host: TestHost
  readonly idp: FakeIdentityProvider
  readonly adapter: MemoryAdapter
  /** Options of the provider. */
  readonly id: string
}

export interface StageOptions {
  /** Default: OpenID Connect with every check. */
  readonly provider?: (idp: FakeIdentityProvider) => Provider
  readonly strategy?: Strategy
  readonly idp?: IdentityProviderOptions
  readonly config?: Partial<Omit<AuthConfig, "providers" | "raw">>
}

export function openStage({ provider, strategy = "database", idp: options, config }: StageOptions = {}): OAuthStage {
  const adapter = memoryAdapter()
  const idp = fakeIdentityProvider(options)
  const chosen = provider?.(idp) ?? idp.provider()
  const host = openHost({ adapter, idp, session: { strategy }, ...config, providers: [chosen] })
  return { host, idp, adapter, id: Object(chosen).id as string } // Every provider has an id.
}

/** Begins a sign-in and signs in at the provider; returns the callback URL. */
export async function sendBack({ host, idp, id }: OAuthStage, callbackUrl = "/in"): Promise<URL> {
  const { location } = await post(host.browser, `/auth/signin/${id}`, { callbackUrl })
  const sent = await idp.handler(new Request(location ?? ""))
  return new URL(sent.headers.get("location") ?? "")
}

export const checkCookies = ({ browser }: Pick<TestHost, "browser">): readonly string[] =>
  browser.cookies.names().filter((name) => /state|nonce|pkce/.test(name))

export interface RefusalExpectation {
  /** Type of the logged error. */
  readonly type: string
  /** Number of token requests. */
  readonly tokenHits: number
  /** The page it ends on. Default: either page. */
  readonly page?: "signin" | "error"
}

/**
 * Expects what holds for every rejection: a page of ours with only an error code, one log entry that names the
 * provider and has a reference, no session, no write, no event, no exposed secret, and no cookie that would keep the
 * user from signing in right after.
 */
export async function expectRefused(
  stage: OAuthStage,
  page: Pick<Page, "url">,
  { type, tokenHits, page: kind }: RefusalExpectation,
): Promise<void> {
  const { host, idp, adapter, id } = stage
  const { origin, pathname, searchParams } = page.url
  expect([origin, pathname]).toEqual(["https://app.test", expect.stringMatching(/^\/auth\/(signin|error)$/)])
  if (kind) expect(pathname).toBe(`/auth/${kind}`)
  expect([...searchParams.keys()]).toEqual(["error"])
  const reference = expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{2}$/)
  expect(host.logger.errors).toMatchObject([{ type, reference, cause: { provider: id } }])
  expect(idp.requests.token).toHaveLength(tokenHits)
  expect(idp.requests.elsewhere).toEqual([])
  await expectQuiet(host, host.browser, adapter)
  expect(findShown(host)).toEqual([])
  await expectRestart(stage)
}

/** Secrets, and the values that bind the flow to its browser, in a log or a response. */
function findShown(host: TestHost): readonly unknown[] {
  const asked = [...host.idp.requests.authorization, ...host.idp.requests.pushed]
  const values = asked.flatMap(({ params }) => [params.get("state"), params.get("nonce")])
  const verifiers = host.idp.requests.token.map(({ params }) => params.get("code_verifier"))
  const canaries = [...values, ...verifiers]
    .filter((value) => value !== null)
    .map((value) => ({ name: "value of the flow", value }))
  // A script gets the provider's URL, including the state, in the response body.
  const bodies = host.answers.filter(({ url }) => !url.includes("/signin/")).map(({ body }) => body)
  return [...findLeaks([...host.logger.texts(), ...bodies], canaries), ...host.leaks()]
}

/** The same browser signs in right after, without removing any cookies. */
export async function expectRestart({ host, idp, id }: OAuthStage): Promise<void> {
  idp.faults.clear()
  const page = await host.browser.signIn(id, { callbackUrl: "/in" })
  expect(page.url.href).toBe("https://app.test/in")
  expect(await host.browser.session()).not.toBeNull()
}
