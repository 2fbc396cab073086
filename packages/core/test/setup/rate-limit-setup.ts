import type { RateLimitBudgets, RateLimitOptions } from "@latchkey/core/types"
import {
  type Browser,
  type MemoryAdapter,
  memoryAdapter,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import { expect } from "vitest"
import { openHost } from "./hosts.js"
import { type Answer, get, post } from "./requests.js"
import { passwordProvider } from "./sign-ins.js"

/** A request for each budget of a network. */
export type ActionBudget = "signIn" | "callback" | "webAuthnOptions" | "sessionUpdate" | "signOut"

type Budgets = NonNullable<RateLimitOptions["budgets"]>

/** A host with rate limits and every sign-in method, which counts the calls of `authorize`. */
export function openLimited(
  rateLimit: RateLimitOptions | false | undefined,
  options: TestHostOptions = {},
): TestHost & { readonly tried: Readonly<Record<string, unknown>>[] } {
  const tried: Readonly<Record<string, unknown>>[] = []
  const password = passwordProvider({
    authorize(fields) {
      tried.push(fields)
      const { u, p } = fields
      return p === "right" ? { id: `u-${u}`, name: String(u), email: `${u}@corp.test` } : null
    },
  })
  const host = openHost({
    providers: ({ idp }) => [idp.provider(), password, testEmail()],
    session: { strategy: "jwt" },
    ...(rateLimit !== undefined && { rateLimit }),
    ...options,
  })
  return { ...host, tried }
}

/** One budget. All others are off. */
export function only<Name extends keyof RateLimitBudgets>(
  name: Name,
  limit: number,
  windowSeconds = 60,
): { readonly budgets: Budgets } {
  const names = [
    "signIn",
    "callback",
    "webAuthnOptions",
    "sessionUpdate",
    "signOut",
    "failuresPerNetworkAndAccount",
    "failuresPerNetwork",
    "failuresPerPeer",
    "failuresPerAccount",
    "mailRepeats",
    "mailsPerAddress",
    "mailsPerNetwork",
    "mailsPerPeer",
  ] as const satisfies readonly (keyof RateLimitBudgets)[]
  const lifted = Object.fromEntries(names.map((other) => [other, false]))
  return { budgets: { ...lifted, [name]: { limit, windowSeconds } } }
}

/** A visitor with this address. */
export const at = (host: TestHost, clientAddress: string): Browser => host.newBrowser({ clientAddress })

/** A visitor with an address of their own. */
export const somewhere = (host: TestHost, index: number): Browser =>
  at(host, `198.${51 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`)

export const tryPassword = (browser: Browser, u: string, p: string): Promise<Answer> =>
  post(browser, "/auth/callback/cred", { u, p })

/** The request that each budget counts. */
export const requests: Readonly<Record<ActionBudget, (browser: Browser) => Promise<Answer>>> = {
  signIn: (browser) => post(browser, "/auth/signin/oidc"),
  callback: (browser) => get(browser, "/auth/callback/oidc?code=c&state=s"),
  webAuthnOptions: (browser) => get(browser, "/auth/webauthn-options/key"),
  sessionUpdate: (browser) => post(browser, "/auth/session"),
  signOut: (browser) => post(browser, "/auth/signout"),
}

/** Whether a response is a complete 429. */
export function isTooMany({ status, headers }: Answer): boolean {
  return status === 429 && /^[1-9]\d*$/.test(headers.get("retry-after") ?? "")
}

/** Options of both session strategies; the database one has the user `v`. */
export const strategies = [
  ["token", () => ({})],
  ["stored", () => ({ adapter: withUser(), session: { strategy: "database" } })],
] as const satisfies readonly (readonly [string, () => TestHostOptions])[]

/** A store with the user `v`. */
function withUser(): MemoryAdapter {
  const adapter = memoryAdapter()
  void adapter.createUser({ id: "u-v", email: "v@corp.test", emailVerified: null })
  return adapter
}

interface Counted {
  readonly passed: number
  readonly refused: number
}

/** Sends this many requests in sequence, and counts those that were answered and rejected. */
export async function repeat(times: number, ask: () => Promise<Answer>): Promise<Counted> {
  const answers = []
  for (let n = 0; n < times; n++) answers.push(await ask())
  const refused = answers.filter(isTooMany).length
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(refused)
  return { passed: times - refused, refused }
}
