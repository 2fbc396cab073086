import { trackSessions } from "@latchkey/core/sessions"
import type { AcceptedSource } from "@latchkey/core/types"
import { type Browser, memoryAdapter, type TestHost, type TestHostOptions, testHost } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"

/** How our own sessions are kept. `none` has no adapter. */
export const kinds = ["jwt", "database", "tracked jwt", "tracked database", "none"] as const
export type Kind = (typeof kinds)[number]

/** Those with an adapter. */
export const storedKinds = kinds.filter((kind) => kind !== "none")

export interface MovingHost {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
}

export interface MovingOptions extends Omit<TestHostOptions, "adapter"> {
  readonly accept: readonly AcceptedSource[]
  /** Methods that the adapter lacks. */
  readonly lacks?: readonly (keyof MemoryAdapter)[]
  /** The id of the user who exists. Default: `user-1`. */
  readonly userId?: string
  readonly adapter?: MemoryAdapter
}

/** A host that takes over sessions. Ada exists, and can sign in by `cred`. */
export async function openMoving(kind: Kind, options: MovingOptions): Promise<MovingHost> {
  const { accept, lacks = [], userId = "user-1", session, adapter = memoryAdapter(), ...given } = options
  if (!(await adapter.getUser(userId))) {
    await adapter.createUser({ id: userId, email: "ada@example.com", name: "Ada Example", emailVerified: null })
  }
  const methods = Object.entries(adapter).filter(([name]) => !lacks.some((lacked) => lacked === name))
  const isTracked = kind.startsWith("tracked")
  const host = testHost({
    ...(kind !== "none" && { adapter: Object.fromEntries(methods) }),
    session: {
      strategy: kind.endsWith("database") ? "database" : "jwt",
      ...(isTracked && { track: trackSessions({ checkEvery: 0 }) }),
      accept,
      ...session,
    },
    providers: [
      {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { name: {} },
        authorize: () => adapter.getUserByEmail("ada@example.com"),
      },
    ],
    ...given,
  })
  return { host, adapter }
}

/** Puts cookies into a browser as a library set them. */
export function plant(
  browser: Browser,
  cookies: readonly { readonly name: string; readonly value: string }[],
): Browser {
  for (const { name, value } of cookies) browser.cookies.set(name, value, { path: "/" })
  return browser
}

/** Another process with the same configuration and store: nothing else is shared. */
export function ask(host: TestHost, path: string, cookie: string, init: RequestInit = {}): Promise<Response> {
  return host.handler(new Request(`https://app.test${path}`, { ...init, headers: { cookie, ...init.headers } }))
}

/** What a request with a `Cookie` header is shown, and the cookies that its answer sets. */
export async function sessionOf(
  host: TestHost,
  cookie: string,
): Promise<{ readonly email: string | null; readonly set: readonly string[] }> {
  const answer = await ask(host, "/auth/session", cookie)
  const session: { user?: { email?: string } } | null = await answer.json()
  return { email: session?.user?.email ?? null, set: answer.headers.getSetCookie() }
}

/** The session cookie of an answer, as a `Cookie` header. */
export function ownCookie(set: readonly string[]): string {
  const line = set.find((each) => each.includes("authjs.session-token") && !each.includes("=;")) ?? ""
  return line.split(";", 1)[0] ?? ""
}
