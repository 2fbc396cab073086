import type { Adapter, AdapterSession, AdapterSessionDetail, SessionLimit } from "@latchkey/core/adapters"
import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  expectRejection,
  runConcurrently,
  sampleDetail,
  sampleSession,
  sampleUser,
} from "./adapter-case.js"

/** Long before any test. */
export const pastDate: Date = new Date("2020-01-01T00:00:00.000Z")

/** A stored session with its details, not yet created. */
export function sampleTracked(
  userId: string,
  fields: Partial<AdapterSessionDetail> = {},
): { readonly session: AdapterSession; readonly detail: AdapterSessionDetail } {
  const session = sampleSession(userId)
  return { session, detail: sampleDetail(userId, { sessionToken: session.sessionToken, ...fields }) }
}

export async function createDetails(
  adapter: Required<Adapter>,
  ...details: readonly AdapterSessionDetail[]
): Promise<readonly AdapterSessionDetail[]> {
  for (const detail of details) expect(await adapter.createSessionDetail(detail)).toBe(true)
  return details
}

export async function idsOf(adapter: Required<Adapter>, userId: string): Promise<readonly string[]> {
  return (await adapter.listSessionsByUserId(userId)).map(({ id }) => id).toSorted()
}

export function sortedIds(...details: readonly AdapterSessionDetail[]): readonly string[] {
  return details.map(({ id }) => id).toSorted()
}

const creating: readonly AdapterCase[] = [
  {
    claim: "stores the details of a session, with every field",
    needs: ["createUser", "createSessionDetail", "listSessionsByUserId"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const [full, sparse] = [
        sampleDetail(id, { label: "Laptop", amr: "hwk user" }),
        sampleDetail(id, { providerSession: null, userAgent: null, network: null, amr: "" }),
      ]
      await createDetails(adapter, full, sparse)
      const listed = await adapter.listSessionsByUserId(id)
      expect(listed).toHaveLength(2)
      for (const detail of [full, sparse])
        expectRecord(
          listed.find((one) => one.id === detail.id),
          detail,
        )
    },
  },
  {
    claim: "rejects details with an id that exists, and keeps the first",
    needs: ["createUser", "createSessionDetail", "listSessionsByUserId"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const [detail] = await createDetails(adapter, sampleDetail(userId))
      const twin = sampleDetail(userId, { id: detail?.id ?? "", label: "Eve" })
      await expectRejection(() => adapter.createSessionDetail(twin))
      const listed = await adapter.listSessionsByUserId(userId)
      expect(listed).toHaveLength(1)
      expectRecord(listed[0], detail ?? {})
    },
  },
  {
    claim: "stores a session with its details",
    needs: ["createUser", "createSessionDetail", "listSessionsByUserId", "getSessionAndUser"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const { session, detail } = sampleTracked(user.id)
      expect(await adapter.createSessionDetail(detail, { session })).toBe(true)
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectRecord(found?.session, session)
      expectRecord(found?.user, user)
      // A store may keep no tokens.
      const { sessionToken: _, ...shown } = detail
      expectRecord((await adapter.listSessionsByUserId(user.id))[0], shown)
    },
  },
  {
    claim: "stores neither a session nor its details if one of them exists",
    needs: ["createUser", "createSessionDetail", "createSession", "listSessionsByUserId", "getSessionAndUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const [first] = await createDetails(adapter, sampleDetail(id))
      const known = sampleTracked(id, { id: first?.id ?? "" })
      await expectRejection(() => adapter.createSessionDetail(known.detail, { session: known.session }))
      expectNull(await adapter.getSessionAndUser(known.session.sessionToken))
      const taken = sampleTracked(id)
      await adapter.createSession(taken.session)
      await expectRejection(() => adapter.createSessionDetail(taken.detail, { session: taken.session }))
      expect(await idsOf(adapter, id)).toEqual([first?.id])
      expectRecord((await adapter.getSessionAndUser(taken.session.sessionToken))?.session, taken.session)
    },
  },
  {
    claim: "stores details for a stored session that exists, and ends it with them",
    needs: ["createUser", "createSession", "createSessionDetail", "endSessions", "getSessionAndUser"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const [known, other] = [sampleTracked(userId), sampleTracked(userId)]
      for (const { session } of [known, other]) await adapter.createSession(session)
      expect(await adapter.createSessionDetail(known.detail)).toBe(true)
      expectRecord((await adapter.getSessionAndUser(known.session.sessionToken))?.session, known.session)
      expect(await adapter.endSessions({ userId, id: known.detail.id })).toBe(1)
      expectNull(await adapter.getSessionAndUser(known.session.sessionToken))
      expectRecord((await adapter.getSessionAndUser(other.session.sessionToken))?.session, other.session)
    },
  },
  {
    claim: "SESS-04: stores no details for a stored session that does not exist",
    needs: ["createUser", "createSession", "createSessionDetail", "deleteSession", "listSessionsByUserId"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const [deleted, unknown] = [sampleTracked(id), sampleTracked(id)]
      await adapter.createSession(deleted.session)
      await adapter.deleteSession(deleted.session.sessionToken)
      for (const { detail } of [deleted, unknown]) expect(await adapter.createSessionDetail(detail)).toBe(false)
      expect(await idsOf(adapter, id)).toEqual([])
    },
  },
  {
    claim: "SESS-04: leaves no details of a stored session that ends while it gets them",
    needs: [
      "createUser",
      "createSession",
      "createSessionDetail",
      "deleteSession",
      "endSessions",
      "listSessionsByUserId",
    ],
    async run(adapter, callers) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const all = Array.from({ length: callers }, () => sampleTracked(userId))
      for (const { session } of all) await adapter.createSession(session)
      const { failures } = await runConcurrently(2 * callers, async (index) => {
        const { session, detail } = all[index >> 1] ?? sampleTracked(userId)
        if (index % 2 === 0) return void (await adapter.createSessionDetail(detail))
        await adapter.deleteSession(session.sessionToken)
        await adapter.endSessions({ userId, id: detail.id })
      })
      expect(failures).toBe(0)
      expect(await idsOf(adapter, userId)).toEqual([])
    },
  },
  {
    claim: "stores no details for an unknown user",
    needs: ["createSessionDetail", "listSessionsByUserId", "getSessionAndUser"],
    async run(adapter) {
      const userId = crypto.randomUUID()
      const { session, detail } = sampleTracked(userId)
      await expectRejection(() => adapter.createSessionDetail(detail, { session }))
      expect(await adapter.listSessionsByUserId(userId)).toEqual([])
      expectNull(await adapter.getSessionAndUser(session.sessionToken))
    },
  },
]

/** Expects that a user's live sessions are these, by details and by rows. */
export async function expectLive(
  adapter: Required<Adapter>,
  userId: string,
  { live, ended }: Readonly<Record<"live" | "ended", readonly AdapterSessionDetail[]>>,
): Promise<void> {
  expect(await idsOf(adapter, userId)).toEqual(sortedIds(...live))
  for (const { sessionToken } of live)
    if (sessionToken) expect(await adapter.getSessionAndUser(sessionToken)).not.toBeNull()
  for (const { sessionToken } of ended) if (sessionToken) expectNull(await adapter.getSessionAndUser(sessionToken))
}

const limited: SessionLimit = { count: 3, over: "refuse" }
const newcomers = 20

const limiting: readonly AdapterCase[] = [
  {
    claim: "refuses a session over the limit, and stores nothing of it",
    needs: ["createUser", "createSessionDetail", "listSessionsByUserId", "getSessionAndUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const all = Array.from({ length: 4 }, () => sampleTracked(id))
      await adapter.createSessionDetail(sampleDetail(id, { expires: pastDate }), { limit: limited })
      const accepted = []
      for (const { session, detail } of all)
        accepted.push(await adapter.createSessionDetail(detail, { session, limit: limited }))
      expect(accepted).toEqual([true, true, true, false])
      const details = all.map(({ detail }) => detail)
      await expectLive(adapter, id, { live: details.slice(0, 3), ended: details.slice(3) })
    },
  },
  {
    claim: "ends the sessions that were seen least recently when a new one is over the limit",
    needs: ["createUser", "createSessionDetail", "listSessionsByUserId", "getSessionAndUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const days = ["04", "02", "05", "03", "06"]
      const all = days.map((day) => sampleTracked(id, { lastSeenAt: new Date(`2026-03-${day}T01:30:00.321Z`) }))
      for (const { session, detail } of all.slice(0, 4)) await adapter.createSessionDetail(detail, { session })
      const limit: SessionLimit = { count: 3, over: "end-oldest" }
      const [a, b, c, d, last] = all.map(({ detail }) => detail)
      expect(await adapter.createSessionDetail(last ?? sampleDetail(id), { ...all[4], limit })).toBe(true)
      await expectLive(adapter, id, {
        live: [a, c, last].flatMap((one) => one ?? []),
        ended: [b, d].flatMap((one) => one ?? []),
      })
    },
  },
  ...(["refuse", "end-oldest"] as const).map(
    (over): AdapterCase => ({
      claim: `SESS-07: keeps the limit when ${newcomers} sessions of one user begin at once: ${over}`,
      needs: ["createUser", "createSessionDetail", "listSessionsByUserId", "getSessionAndUser"],
      async run(adapter) {
        const user = await adapter.createUser(sampleUser())
        const all = Array.from({ length: newcomers }, () => sampleTracked(user.id))
        const { results, failures } = await runConcurrently(newcomers, (index) => {
          const { session, detail } = all[index] ?? sampleTracked(user.id)
          return adapter.createSessionDetail(detail, { session, limit: { count: 3, over } })
        })
        expect(failures).toBe(0)
        expect(results.filter((isCreated) => isCreated)).toHaveLength(over === "refuse" ? 3 : newcomers)
        const ids = await idsOf(adapter, user.id)
        expect(ids).toHaveLength(3)
        const details = all.map(({ detail }) => detail)
        await expectLive(adapter, user.id, {
          live: details.filter(({ id }) => ids.includes(id)),
          ended: details.filter(({ id }) => !ids.includes(id)),
        })
      },
    }),
  ),
]

/** Promises about the creation of details. */
export const sessionDetailCases: readonly AdapterCase[] = [...creating, ...limiting]
