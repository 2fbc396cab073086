import { Auth } from "@latchkey/core"
import { type TrackSessionsOptions, trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig, OIDCUserConfig } from "@latchkey/core/types"
import { type Browser, memoryAdapter, type TestHost, type TestHostOptions } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { openHost } from "./hosts.js"
import { type Answer, ask, post, readAnswer, requestTo } from "./requests.js"

export const strategies = ["jwt", "database"] as const
export type Strategy = (typeof strategies)[number]

export interface TrackedHost {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /** Signs in a user by password, in a new browser unless one is given. The user is created first. */
  signIn(name: string, browser?: Browser): Promise<Browser>
  /** The id of a user. */
  idOf(name: string): Promise<string>
  /** Another process: it shares nothing but the store and the configuration. */
  newProcess(changes?: Partial<AuthConfig>): (path: string, cookie: string) => Promise<Answer>
}

export interface TrackedOptions extends Omit<TestHostOptions, "providers"> {
  /** Options of the OpenID Connect provider. */
  readonly oidc?: OIDCUserConfig
}

/** A host that tracks its sessions. Its users sign in with a name as their password. */
export function openTracked(
  strategy: Strategy,
  tracking: TrackSessionsOptions | null = {},
  { adapter: override, session, oidc, ...changes }: TrackedOptions = {},
): TrackedHost {
  const adapter = memoryAdapter()
  const host = openHost({
    session: { strategy, ...(tracking && { track: trackSessions(tracking) }), ...session },
    adapter: { ...adapter, ...override },
    providers: ({ idp }) => [
      {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { name: {} },
        authorize: ({ name }) => adapter.getUserByEmail(`${String(name)}@corp.test`),
      },
      idp.provider(oidc),
    ],
    ...changes,
  })
  const find = (name: string) => adapter.getUserByEmail(`${name}@corp.test`)

  return {
    host,
    adapter,
    async signIn(name, browser = host.newBrowser()) {
      if (!(await find(name)))
        await adapter.createUser({ id: `u-${name}`, email: `${name}@corp.test`, name, emailVerified: null })
      await browser.signIn("cred", { name })
      return browser
    },
    idOf: async (name) => (await find(name))?.id ?? "",
    newProcess(own = {}) {
      const config: AuthConfig = { ...(host.config as AuthConfig), ...own }
      return async (path, cookie) => readAnswer(await Auth(requestTo(path, { cookie }), config))
    },
  }
}

/** What a thief copies from a browser. */
export function cookiesOf(browser: Browser): string {
  return browser.cookies
    .list()
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ")
}

/** The sessions that a browser is shown. */
export async function listOf(browser: Browser): Promise<readonly ListedSession[]> {
  const answer = await readAnswer(
    await browser.fetch("/auth/account/sessions", { headers: { accept: "application/json" } }),
  )
  return answer.status === 200 ? (answer.json() as { sessions: ListedSession[] }).sessions : []
}

export interface ListedSession {
  readonly id: string
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly device: string | null
  readonly userAgent: string | null
  readonly network: string | null
  readonly label: string | null
  readonly provider: string | null
  readonly isCurrent: boolean
}

/** Ends a session by the route. */
export function endById(browser: Browser, id: string): Promise<Answer> {
  return post(browser, "/auth/account/sessions", { action: "end", id })
}

export function endOthers(browser: Browser): Promise<Answer> {
  return post(browser, "/auth/account/sessions", { action: "end-others" })
}

/** The session that one cookie has. Its successors are dropped, as in a server component. */
export async function readSession({ host }: Pick<TrackedHost, "host">, cookie: string): Promise<string> {
  return (await ask(host, "/auth/session", { cookie })).text
}
