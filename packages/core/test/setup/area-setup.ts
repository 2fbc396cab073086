import { customFetch } from "@latchkey/core"
import { type AccountAreaOptions, accountArea } from "@latchkey/core/account-area"
import Passkey from "@latchkey/core/providers/passkey"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import { type Browser, memoryAdapter, type TestHost, type TestHostOptions, testEmail } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { openHost } from "./hosts.js"
import { type Answer, get, post, postForm } from "./requests.js"

export const strategies = ["jwt", "database"] as const
export type Strategy = (typeof strategies)[number]

/** What a host sets: the account area alone, `session.track` too, or second factors as well. */
export const kinds = ["default", "tracked", "guarded"] as const
export type Kind = (typeof kinds)[number]

/** Both strategies, each with the tracking that the area brings, with `session.track`, and with second factors. */
export const settings: readonly (readonly [Strategy, Kind])[] = strategies.flatMap((strategy) =>
  kinds.map((kind) => [strategy, kind] as const),
)

export interface AreaHost {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /** Signs a user in by password, in a new browser unless one is given. */
  signIn(name?: string, browser?: Browser): Promise<Browser>
}

interface AreaHostOptions extends Omit<TestHostOptions, "adapter"> {
  readonly strategy?: Strategy
  readonly kind?: Kind
  readonly area?: AccountAreaOptions
  /** Gets what the provider `oidc` is asked to revoke. */
  readonly revoked?: URLSearchParams[]
  /** Methods that the adapter lacks. */
  readonly lacks?: readonly (keyof MemoryAdapter)[]
}

export const idOf = (name: string): string => `u-${name}`

/** A host with an account area. Its users ada and bob exist, with a verified address and an account at `oauth`. */
export async function openArea(options: AreaHostOptions = {}): Promise<AreaHost> {
  const { strategy = "jwt", kind = "tracked", area, revoked, lacks = [], session, ...given } = options
  const adapter = memoryAdapter()
  for (const name of ["ada", "bob"]) {
    const email = `${name}@example.com`
    await adapter.createUser({ id: idOf(name), email, name: name.toUpperCase(), emailVerified: new Date() })
    await adapter.linkAccount({ provider: "oauth", providerAccountId: `${name}-1`, type: "oauth", userId: idOf(name) })
  }
  const host = openHost({
    adapter: Object.fromEntries(Object.entries(adapter).filter(([name]) => !lacks.some((lacked) => lacked === name))),
    session: { strategy, ...(kind !== "default" && { track: trackSessions() }), ...session },
    ...(kind === "guarded" && { secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }) }),
    accountArea: accountArea(area),
    providers: ({ idp }) => [
      idp.provider(revoked && { revocation, [customFetch]: collectRevoked(revoked, idp.fetch) }),
      idp.oauthProvider({ profile: ({ sub, email }) => ({ id: String(sub), email: String(email) }) }),
      testEmail({ code: true }),
      {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { name: {} },
        authorize: ({ name }) => adapter.getUserByEmail(`${String(name)}@example.com`),
      },
      Passkey({ verifyAuthenticationOptions: { requireUserVerification: false } }),
    ],
    ...given,
  })
  return {
    host,
    adapter,
    async signIn(name = "ada", browser = host.newBrowser()) {
      await browser.signIn("cred", { name })
      return browser
    },
  }
}

const revocation = "https://idp.test/revoke"

function collectRevoked(revoked: URLSearchParams[], next: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (String(input) !== revocation) return next(input, init)
    revoked.push(new URLSearchParams(String(init?.body)))
    return new Response()
  }
}

const page = { accept: "text/html,application/xhtml+xml" }
const json = { accept: "application/json" }

/** Loads a page of the area. */
export const load = (browser: Browser, path = ""): Promise<Answer> => get(browser, `/auth/account${path}`, page)

/** Asks for the JSON of a path of the area. */
export const read = (browser: Browser, path = ""): Promise<Answer> => get(browser, `/auth/account${path}`, json)

/** Sends a form of the area, as a browser without scripts does, and shows the page of a form that was refused. */
export function send(browser: Browser, section: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  return postForm(browser, `/auth/account/${section}`, fields, { headers: page })
}

/** The same by a script. */
export function call(browser: Browser, section: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  return post(browser, `/auth/account/${section}`, fields, { headers: json })
}
