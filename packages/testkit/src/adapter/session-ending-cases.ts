import type { Adapter, AdapterSessionDetail, SessionSelection } from "@latchkey/core/adapters"
import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  runConcurrently,
  sampleDetail,
  sampleUser,
  unique,
} from "./adapter-case.js"
import { createDetails, expectLive, idsOf, pastDate, sampleTracked, sortedIds } from "./session-detail-cases.js"

const seenAt = new Date("2026-05-05T05:05:05.005Z")
const extended = new Date("2037-03-29T01:30:00.321Z")

const seeing: readonly AdapterCase[] = [
  {
    claim: "records when a session was seen and until when it lives, and returns its details",
    needs: ["createUser", "createSessionDetail", "seeSession", "listSessionsByUserId"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const [seen, other] = [sampleDetail(userId), sampleDetail(userId)]
      await createDetails(adapter, seen, other)
      const changed = { ...seen, lastSeenAt: seenAt, expires: extended }
      expectRecord(await adapter.seeSession({ id: seen.id, userId, seenAt, expires: extended }), changed)
      const listed = await adapter.listSessionsByUserId(userId)
      expectRecord(
        listed.find(({ id }) => id === seen.id),
        changed,
      )
      expectRecord(
        listed.find(({ id }) => id === other.id),
        other,
      )
    },
  },
  {
    claim: "sees no session that is unknown, expired, or another user's",
    needs: ["createUser", "createSessionDetail", "seeSession", "listSessionsByUserId"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const [live, dead] = [sampleDetail(ada.id), sampleDetail(ada.id, { expires: seenAt })]
      await createDetails(adapter, live, dead)
      const seen = { id: live.id, userId: ada.id, seenAt, expires: extended }
      expectNull(await adapter.seeSession({ ...seen, userId: ben.id }))
      expectNull(await adapter.seeSession({ ...seen, id: dead.id }))
      expectNull(await adapter.seeSession({ ...seen, id: unique("sid") }))
      const listed = await adapter.listSessionsByUserId(ada.id)
      expect(listed).toHaveLength(1)
      expectRecord(listed[0], live)
    },
  },
  {
    claim: "SESS-04: does not bring back an ended session that many concurrent callers see",
    needs: ["createUser", "createSessionDetail", "seeSession", "endSessions", "listSessionsByUserId"],
    async run(adapter, callers) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const detail = sampleDetail(userId)
      await createDetails(adapter, detail)
      const seen = { id: detail.id, userId, seenAt, expires: extended }
      const { failures } = await runConcurrently(callers, async (index) => {
        if (index === Math.floor(callers / 2)) await adapter.endSessions({ userId })
        else await adapter.seeSession(seen)
      })
      expect(failures).toBe(0)
      expectNull(await adapter.seeSession(seen))
      expect(await adapter.listSessionsByUserId(userId)).toEqual([])
    },
  },
  {
    claim: "SESS-03: lists only the live sessions of the user",
    needs: ["createUser", "createSessionDetail", "listSessionsByUserId"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const own = [sampleDetail(ada.id), sampleDetail(ada.id)]
      await createDetails(adapter, ...own, sampleDetail(ada.id, { expires: pastDate }), sampleDetail(ben.id))
      expect(await idsOf(adapter, ada.id)).toEqual(sortedIds(...own))
      expect(await adapter.listSessionsByUserId(unique("nobody"))).toEqual([])
    },
  },
]

interface Ended {
  readonly what: string
  /** The sessions that the selection ends: positions in the list of four. */
  readonly ends: readonly number[]
  select(details: readonly AdapterSessionDetail[], userId: string): SessionSelection
}

const idOf = (detail: AdapterSessionDetail | undefined) => detail?.id ?? ""

/** Of four stored sessions, the first two began with one account at a provider, and the first alone with a session of it. */
const selections: readonly Ended[] = [
  { what: "all sessions of a user", ends: [0, 1, 2, 3], select: (_, userId) => ({ userId }) },
  {
    what: "all sessions of a user except one",
    ends: [0, 1, 3],
    select: (details, userId) => ({ userId, except: idOf(details[2]) }),
  },
  { what: "one session of a user", ends: [1], select: (details, userId) => ({ userId, id: idOf(details[1]) }) },
  {
    what: "the sessions that began with a session at a provider",
    ends: [0],
    select: (details) => ({ provider: "harbour", providerSession: details[0]?.providerSession ?? "" }),
  },
  {
    what: "the sessions that began with an account at a provider",
    ends: [0, 1],
    select: (details) => ({ provider: "harbour", providerAccountId: details[0]?.providerAccountId ?? "" }),
  },
  { what: "no session for an unknown id", ends: [], select: (_, userId) => ({ userId, id: unique("sid") }) },
  {
    what: "no session for another provider's session of the same name",
    ends: [],
    select: (details) => ({ provider: "island", providerSession: details[0]?.providerSession ?? "" }),
  },
]

/** Creates a session that expires soon, and extends it in time. A busy machine may need more than one attempt. */
async function seeBeforeItExpires(
  adapter: Required<Adapter>,
  userId: string,
): Promise<{ readonly detail: AdapterSessionDetail; readonly first: Date }> {
  for (let milliseconds = 100; ; milliseconds *= 4) {
    const first = new Date(Date.now() + milliseconds)
    const detail = sampleDetail(userId, { expires: first })
    await createDetails(adapter, detail)
    if (await adapter.seeSession({ id: detail.id, userId, seenAt: new Date(), expires: extended }))
      return { detail, first }
  }
}

const ending: readonly AdapterCase[] = [
  ...selections.map(
    ({ what, ends, select }): AdapterCase => ({
      claim: `ends ${what}${ends.length > 0 ? ", details and session rows" : ""}`,
      needs: ["createUser", "createSessionDetail", "endSessions", "listSessionsByUserId", "getSessionAndUser"],
      async run(adapter) {
        const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
        const providerAccountId = unique("subject")
        const all = Array.from({ length: 4 }, (_, index) =>
          sampleTracked(ada.id, index < 2 ? { providerAccountId } : { providerSession: null }),
        )
        const foreign = sampleTracked(ben.id)
        for (const { session, detail } of [...all, foreign]) await adapter.createSessionDetail(detail, { session })
        const details = all.map(({ detail }) => detail)
        expect(await adapter.endSessions(select(details, ada.id))).toBe(ends.length)
        await expectLive(adapter, ada.id, {
          live: details.filter((_, index) => !ends.includes(index)),
          ended: details.filter((_, index) => ends.includes(index)),
        })
        await expectLive(adapter, ben.id, { live: [foreign.detail], ended: [] })
      },
    }),
  ),
  {
    claim: "SESS-02: ends no session of another user",
    needs: ["createUser", "createSessionDetail", "endSessions", "listSessionsByUserId"],
    async run(adapter) {
      const [ada, eve] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const detail = sampleDetail(ada.id)
      await createDetails(adapter, detail)
      expect(await adapter.endSessions({ userId: eve.id, id: detail.id })).toBe(0)
      expect(await adapter.endSessions({ userId: eve.id, except: unique("sid") })).toBe(0)
      expect(await idsOf(adapter, ada.id)).toEqual([detail.id])
    },
  },
  {
    claim: "ends the sessions of a provider's session for all of its users",
    needs: ["createUser", "createSessionDetail", "endSessions", "listSessionsByUserId"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const providerSession = unique("op-session")
      await createDetails(adapter, ...[ada, ben].map(({ id }) => sampleDetail(id, { providerSession })))
      expect(await adapter.endSessions({ provider: "harbour", providerSession })).toBe(2)
      expect([await idsOf(adapter, ada.id), await idsOf(adapter, ben.id)]).toEqual([[], []])
    },
  },
  {
    claim: "ends the sessions of a provider's session after it was seen",
    needs: ["createUser", "createSessionDetail", "seeSession", "endSessions"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const seen = await seeBeforeItExpires(adapter, userId)
      await new Promise((resolve) => setTimeout(resolve, seen.first.valueOf() - Date.now() + 50))
      const { provider, providerSession } = seen.detail
      expect(await adapter.endSessions({ provider, providerSession: providerSession ?? "" })).toBe(1)
    },
  },
  {
    claim: "counts every ended session for one of many concurrent callers",
    needs: ["createUser", "createSessionDetail", "endSessions"],
    async run(adapter, callers) {
      const { id: userId } = await adapter.createUser(sampleUser())
      await createDetails(adapter, sampleDetail(userId), sampleDetail(userId), sampleDetail(userId))
      const { results, failures } = await runConcurrently(callers, () => adapter.endSessions({ userId }))
      expect(failures).toBe(0)
      expect(results.reduce((sum, count) => sum + count, 0)).toBe(3)
    },
  },
]

const removing: readonly AdapterCase[] = [
  {
    claim: "removes the details of a deleted session",
    needs: ["createUser", "createSessionDetail", "deleteSession", "listSessionsByUserId", "seeSession"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const [gone, kept] = [sampleTracked(userId), sampleTracked(userId)]
      for (const { session, detail } of [gone, kept]) await adapter.createSessionDetail(detail, { session })
      await adapter.deleteSession(gone.session.sessionToken)
      expect(await idsOf(adapter, userId)).toEqual([kept.detail.id])
      expectNull(await adapter.seeSession({ id: gone.detail.id, userId, seenAt, expires: extended }))
    },
  },
  {
    claim: "removes the details of a deleted user's sessions",
    needs: ["createUser", "createSessionDetail", "deleteUser", "listSessionsByUserId", "seeSession"],
    async run(adapter) {
      const [gone, kept] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const [detail] = await createDetails(adapter, sampleDetail(gone.id), sampleDetail(kept.id))
      await adapter.deleteUser(gone.id)
      expect(await adapter.listSessionsByUserId(gone.id)).toEqual([])
      expectNull(await adapter.seeSession({ id: idOf(detail), userId: gone.id, seenAt, expires: extended }))
      expect(await idsOf(adapter, kept.id)).toHaveLength(1)
    },
  },
]

/** Promises about the use and the end of sessions that have details. */
export const sessionEndingCases: readonly AdapterCase[] = [...seeing, ...ending, ...removing]
