import type { Adapter, Awaitable } from "@latchkey/core/adapters"
import { createSource } from "@latchkey/core/moving"
import { signOutEverywhere, trackSessions } from "@latchkey/core/sessions"
import { type Browser, type TestHost, testHost } from "@latchkey/testkit"
import { hasProgram } from "@latchkey/testkit/servers"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"

/** A store that several processes share. */
export interface MovedStore {
  readonly name: string
  /** The program of its server, if it has one. */
  readonly program: string | null
  /** Whether its adapter can track sessions. Default: yes. */
  readonly canTrack?: boolean
  open(): Awaitable<OpenedMovedStore>
}

export interface OpenedMovedStore {
  /** An adapter with connections of its own, as each process has one. */
  connect(): Awaitable<ConnectedStore>
  stop(): Awaitable<unknown>
}

export interface ConnectedStore {
  readonly adapter: Adapter
  close(): Awaitable<unknown>
}

const secret = "the secret that both processes have, 0123456789"

interface Person {
  readonly userId: string
  /** The cookie that they have from the former app. */
  readonly cookie: string
  readonly email: string
}

const former = ({ userId, cookie }: Person) =>
  createSource(
    { until: new Date(Date.now() + 86_400_000) },
    {
      name: "former",
      cookies: ["sid"],
      read: (value) => (value === cookie ? { kind: "found", claims: null, subject: userId } : { kind: "over" }),
    },
  )

type Kind = readonly [strategy: "jwt" | "database", tracking: { readonly track?: ReturnType<typeof trackSessions> }]

const tracked: readonly Kind[] = [
  ["jwt", { track: trackSessions({ checkEvery: 0 }) }],
  ["database", { track: trackSessions({ checkEvery: 0 }) }],
]
const untracked: readonly Kind[] = [
  ["jwt", {}],
  ["database", {}],
]

const emailAt = async (host: TestHost, { cookie }: Person): Promise<string | null> =>
  (await arrive(host, cookie).session())?.user?.email ?? null

function arrive(host: TestHost, cookie: string): Browser {
  const browser = host.newBrowser()
  browser.cookies.set("sid", cookie, { path: "/" })
  return browser
}

const ended = [null, null, null]

/** Tests what becomes of sessions of another library in two processes that share one of the stores. */
export function testMovedSessions(...stores: readonly MovedStore[]): void {
  describe.each(stores)(
    "sessions of another library, with two processes on $name",
    ({ program, canTrack = true, open }) => {
      const isMissing = program !== null && !hasProgram(program)
      let store: OpenedMovedStore
      let person: Person
      const connected: ConnectedStore[] = []
      beforeAll(async () => {
        if (!isMissing) store = await open()
      })
      afterAll(async () => await store?.stop())
      beforeEach(async () => {
        if (isMissing) return
        const { adapter } = await connect()
        const id = crypto.randomUUID()
        const email = `${id}@example.com`
        const created = await adapter.createUser?.({ id, email, name: "Ada", emailVerified: null, image: null })
        // Some stores make the ids of users themselves.
        person = { userId: created?.id ?? expect.unreachable(), cookie: `s-${id}`, email }
      })
      afterEach(async () => {
        for (const one of connected.splice(0)) await one.close()
      })

      async function connect(): Promise<ConnectedStore> {
        const one = await store.connect()
        connected.push(one)
        return one
      }

      /** What a process has: the store is all that it shares with others. */
      async function start([strategy, tracking]: Kind): Promise<TestHost> {
        const { adapter } = await connect()
        return testHost({
          adapter,
          secret,
          session: { strategy, accept: [former(person)], ...tracking },
          providers: [],
        })
      }

      describe.skipIf(isMissing).each(canTrack ? [...untracked, ...tracked] : untracked)(
        "with %s sessions, %o",
        (...kind) => {
          it("MIG-12: go on in both, as one session", async () => {
            const hosts = [await start(kind), await start(kind)]
            const emails = await Promise.all([...hosts, ...hosts, ...hosts].map((host) => emailAt(host, person)))
            expect(emails).toEqual(emails.map(() => person.email))
            const records = hosts.flatMap(({ logger }) => logger.records)
            expect(records.filter((record) => record.kind === "session-moved")).toHaveLength(1)
          })

          it("MIG-01: end in both with the sign-out at one, and stay ended after a restart", async () => {
            const [first, second] = [await start(kind), await start(kind)]
            const browser = arrive(first, person.cookie)
            expect((await browser.session())?.user?.email).toBe(person.email)
            await browser.signOut()
            const hosts = [first, second, await start(kind)]
            expect(await Promise.all(hosts.map((host) => emailAt(host, person)))).toEqual(ended)
          })

          it("MIG-01: end in both with the user", async () => {
            const [first, second] = [await start(kind), await start(kind)]
            expect(await emailAt(first, person)).toBe(person.email)
            await connected[0]?.adapter.deleteUser?.(person.userId)
            expect(await Promise.all([first, second].map((host) => emailAt(host, person)))).toEqual([null, null])
          })
        },
      )

      describe.skipIf(isMissing).each(canTrack ? tracked : [])("with tracked %s sessions", (...kind) => {
        it("MIG-01: end in both when all sessions of the user are ended", async () => {
          const [first, second] = [await start(kind), await start(kind)]
          expect(await emailAt(first, person)).toBe(person.email)
          await signOutEverywhere(first.config, person.userId)
          const hosts = [first, second, await start(kind)]
          expect(await Promise.all(hosts.map((host) => emailAt(host, person)))).toEqual(ended)
        })
      })
    },
  )
}
