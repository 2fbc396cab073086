import { type RecordingEvents, type RecordingLogger, recordingEvents, recordingLogger } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import { resolveCallbacks } from "../../src/host/callbacks.js"
import { createEvents } from "../../src/host/events.js"
import { createStore, type Store } from "../../src/host/store.js"
import { resolveCookies } from "../../src/http/own-cookies.js"
import { createLog } from "../../src/log/log.js"
import { type JwtSessionOptions, jwtSessions } from "../../src/session/jwt.js"
import {
  type CheckedSession,
  createLifetime,
  type EndedSession,
  type SessionDeps,
  type Sessions,
  type SessionUpdate,
  type SignedIn,
} from "../../src/session/session.js"
import type { Adapter, AdapterUser } from "../../src/types/adapter.js"
import type { CallbacksOptions, EventCallbacks } from "../../src/types/callbacks.js"
import type { CookieOption, ResponseCookie } from "../../src/types/http.js"
import { type KeptCookies, keptCookies } from "./kept-cookies.js"

/** The host's options. */
export interface SessionHost {
  readonly callbacks?: Partial<CallbacksOptions>
  readonly events?: Partial<EventCallbacks>
  /** Seconds. Default: 30 days. */
  readonly maxAge?: number
  /** Seconds. Default: one day. */
  readonly updateAge?: number
  readonly generateSessionToken?: () => string
  /** Methods that replace those of the memory adapter. */
  readonly adapter?: Partial<Adapter>
}

/** The store that sessions are built on, with the host's options. */
export interface SessionSource {
  readonly store: Store
  readonly updateAge: number
  readonly generateSessionToken: () => string
}

export type BuildSessions = (source: SessionSource, deps: SessionDeps) => Sessions

export interface SessionSetup {
  readonly sessions: Sessions
  readonly browser: KeptCookies
  readonly adapter: MemoryAdapter
  readonly events: RecordingEvents
  readonly logger: RecordingLogger
  /** Signs a user in, and creates it first if the store has none with this ID. */
  start(changes?: Partial<SignedIn>): Promise<readonly ResponseCookie[]>
  check(update?: SessionUpdate): Promise<CheckedSession>
  findUser(): Promise<AdapterUser | null>
  end(): Promise<EndedSession>
}

export const sessionCookie: CookieOption = resolveCookies(undefined, { isSecure: true }).sessionToken
const day = 24 * 60 * 60

export const vera: AdapterUser = {
  id: "vera",
  name: "Vera",
  email: "vera@corp.test",
  image: "https://corp.test/vera.png",
  emailVerified: null,
}

/** Vera, who signs in again with an identity provider. */
export function signedIn(changes: Partial<SignedIn> = {}): SignedIn {
  return {
    user: vera,
    account: { provider: "oidc", providerAccountId: "1", type: "oidc", userId: "vera", access_token: "at" },
    achieved: ["fed"],
    profile: { sub: "1", name: "Vera" },
    isNewUser: false,
    isSignedInAlready: false,
    ...changes,
  }
}

/** The secret of `statelessSessions`. */
export const sessionSecret = "a secret of at least thirty-two characters"

/** Stateless sessions, with the store of the setup for their users. */
export function statelessSessions(changes: Partial<JwtSessionOptions> = {}): BuildSessions {
  return ({ store }, deps) => {
    const getUser = async (id: string) => store.getUser(id)
    const { maxAge } = deps.lifetime
    const options = { secrets: [sessionSecret], maxAge, encode: undefined, decode: undefined, getUser }
    return jwtSessions({ ...options, ...changes }, deps)
  }
}

/** Sessions with a real store, callbacks and events, and a browser that keeps the cookies. */
export function sessionSetup(build: BuildSessions, host: SessionHost = {}): SessionSetup {
  const adapter = memoryAdapter()
  const events = recordingEvents(host.events)
  const logger = recordingLogger()
  const log = createLog(logger)
  const browser = keptCookies()
  const source = {
    store: createStore({ ...adapter, ...host.adapter }, log),
    updateAge: host.updateAge ?? day,
    generateSessionToken: host.generateSessionToken ?? (() => crypto.randomUUID()),
  }
  const sessions = build(source, {
    cookie: sessionCookie,
    lifetime: createLifetime({ clock: () => Date.now(), maxAge: host.maxAge ?? 30 * day }),
    callbacks: resolveCallbacks(host.callbacks),
    events: createEvents(events.handlers, log),
    log,
  })

  function kept<Answer extends { readonly cookies: readonly ResponseCookie[] }>(answer: Answer): Answer {
    browser.keep(answer.cookies)
    return answer
  }

  return {
    sessions,
    browser,
    adapter,
    events,
    logger,
    async start(changes) {
      const person = signedIn(changes)
      const user = { ...vera, email: `${person.user.id}@corp.test`, ...person.user } as AdapterUser // Has an id in all tests.
      if ((await adapter.getUser(user.id)) === null) await adapter.createUser(user)
      return kept({ cookies: await sessions.start(person, { cookies: browser.jar() }) }).cookies
    },
    check: async (update) => kept(await sessions.check({ cookies: browser.jar() }, update)),
    findUser: async () => sessions.findUser(browser.jar()),
    end: async () => kept(await sessions.end({ cookies: browser.jar() })),
  }
}
