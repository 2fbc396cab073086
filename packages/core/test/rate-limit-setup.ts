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
import { type Answer, get, post } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider } from "./sign-ins.js"

/** What each kind of request leads to, by the budget that it is counted on. */
export type ActionBudget = "signIn" | "callback" | "webAuthnOptions" | "sessionUpdate" | "signOut"

type Budgets = NonNullable<RateLimitOptions["budgets"]>

/** A host that counts, with everything to sign in by. `authorize` is counted as well. */
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

/** One budget alone, so that a test sees no other at work. */
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
    "failuresPerAccount",
    "mailRepeats",
    "mailsPerAddress",
    "mailsPerNetwork",
  ] as const satisfies readonly (keyof RateLimitBudgets)[]
  const lifted = Object.fromEntries(names.map((other) => [other, false]))
  return { budgets: { ...lifted, [name]: { limit, windowSeconds } } }
}

/** A visitor with an address. */
export const at = (host: TestHost, clientAddress: string): Browser => host.newBrowser({ clientAddress })

/** A visitor with an address that nobody else has. */
export const somewhere = (host: TestHost, index: number): Browser =>
  at(host, `198.${51 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`)

export const tryPassword = (browser: Browser, u: string, p: string): Promise<Answer> =>
  post(browser, "/auth/callback/cred", { u, p })

/** A request of each kind that is counted by network. */
export const requests: Readonly<Record<ActionBudget, (browser: Browser) => Promise<Answer>>> = {
  signIn: (browser) => post(browser, "/auth/signin/oidc"),
  callback: (browser) => get(browser, "/auth/callback/oidc?code=c&state=s"),
  webAuthnOptions: (browser) => get(browser, "/auth/webauthn-options/key"),
  sessionUpdate: (browser) => post(browser, "/auth/session"),
  signOut: (browser) => post(browser, "/auth/signout"),
}

/** Whether an answer is a refusal because of too many requests, with all that belongs to one. */
export function isTooMany({ status, headers }: Answer): boolean {
  return status === 429 && /^[1-9]\d*$/.test(headers.get("retry-after") ?? "")
}

/** Both ways to keep sessions, the stored one with the user whom `v` is. */
export const strategies = [
  ["token", () => ({})],
  ["stored", () => ({ adapter: withUser(), session: { strategy: "database" } })],
] as const satisfies readonly (readonly [string, () => TestHostOptions])[]

/** A store that knows the user whom `v` is. */
function withUser(): MemoryAdapter {
  const adapter = memoryAdapter()
  void adapter.createUser({ id: "u-v", email: "v@corp.test", emailVerified: null })
  return adapter
}

interface Counted {
  readonly passed: number
  readonly refused: number
}

/** How many of as many requests, one after the other, were answered, and how many refused. */
export async function repeat(times: number, ask: () => Promise<Answer>): Promise<Counted> {
  const answers = []
  for (let n = 0; n < times; n++) answers.push(await ask())
  const refused = answers.filter(isTooMany).length
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(refused)
  return { passed: times - refused, refused }
}
