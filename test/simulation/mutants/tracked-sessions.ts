import type { Mutant } from "../mutant.js"

const tokens = "session/tracked-tokens.ts"
const lookup = "session/token-lookup.ts"
const own = "session/own-sessions.ts"
const records = "session/records.ts"
const adoption = "session/adoption.ts"

/** The worlds with sessions from before they were tracked. */
const former = { strategy: "jwt", isTracked: true, isAdapterPublished: false, hasHalf: true } as const

/** Sessions that their users see and end. */
export const mutants: readonly Mutant[] = [
  {
    name: "An ended session is believed past the bound",
    edits: [{ file: lookup, find: "now - time < seconds", replace: "now - time < 50 * seconds" }],
    within: 300,
  },
  {
    name: "An ended session still names the current user",
    edits: [
      {
        file: tokens,
        find: "findUser: (jar, find, remember) => (find ? sessions.findUser(jar, find, remember) : askedSessions.findUser(jar))",
        replace: "findUser: (jar, find) => build(callbacks).findUser(jar, find)",
      },
    ],
    within: 600,
  },
  {
    name: "A lookup that finds no session is ignored",
    edits: [{ file: lookup, find: "return seen && {", replace: "return {" }],
    within: 300,
  },
  {
    name: "Signing out leaves the record of a stateless session",
    edits: [
      {
        file: tokens,
        find: "await Promise.all(all.map((session) => records.end(session)))\n      } catch",
        replace: "await records.isAdopting()\n      } catch",
      },
    ],
    within: 300,
  },
  {
    name: "A user has more sessions than the host allows",
    edits: [{ file: records, find: "...(limit && { limit }),", replace: "" }],
    within: 300,
  },
  {
    name: "A session of long ago ends the others",
    edits: [
      { file: own, find: "if (!(await isFresh(request)))", replace: "if (!(await isFresh(request)) && !request)" },
    ],
    setting: { isTracked: true, isAdapterPublished: false },
    within: 300,
  },
  {
    name: "The list has the sessions of the former user of a browser",
    edits: [
      {
        file: own,
        find: "return [current, ...others].map(",
        replace: "shown.push(current)\n      return [...new Set([current, ...others, ...shown])].map(",
      },
      {
        file: own,
        find: "interface CurrentSession {",
        replace: "const shown: AdapterSessionDetail[] = []\ninterface CurrentSession {",
      },
    ],
    within: 300,
  },
  {
    name: "A session that a half without tracking has renewed or begun is adopted",
    edits: [
      {
        file: adoption,
        find: "return iat * 1000 < adopt.valueOf()",
        replace: "return iat * 1000 > 0",
      },
    ],
    setting: former,
    within: 100,
  },
  {
    name: "A session from before of a deleted user is adopted",
    edits: [
      {
        file: records,
        find: "return user !== null && user !== undefined && admits(user)",
        replace: "return user ? admits(user) : true",
      },
      // The stores of the worlds refuse records of users who do not exist.
      {
        file: adoption,
        find: "await records.adopt({ id, userId, expires, request, sessionToken: null })",
        replace: "await records.adopt({ id, userId, expires, request, sessionToken: null }).catch(() => false)",
      },
    ],
    setting: { ...former, hasAccountArea: true, isDeletionPlanned: false },
    within: 100,
  },
  {
    name: "A session from before goes on without the second factor of its user",
    edits: [
      {
        file: records,
        find: "return user !== null && user !== undefined && admits(user)",
        replace: "return user !== null && user !== undefined && admits !== undefined",
      },
    ],
    setting: { ...former, hasSecondFactors: true },
    within: 300,
  },
  {
    name: "A copy of a session from before is adopted again after it ended",
    edits: [
      { file: adoption, find: "if (!(await isFirst(id, expires))) return", replace: "if (!id) return" },
      {
        file: adoption,
        find: "isCompleted = await formers.complete({ id, userId }, expires)",
        replace: "isCompleted = expires !== null",
      },
    ],
    setting: former,
    within: 300,
  },
  {
    name: "A session from before that was never used since goes on after its sign-out",
    edits: [{ file: records, find: "if (isUnrecorded && (await", replace: "if (isUnrecorded === false && (await" }],
    setting: former,
    within: 300,
  },
  {
    name: "A session from before that was never used since goes on after all sessions of its user were ended",
    edits: [
      {
        file: own,
        find: 'if (!("id" in selection)) await sessions.endFormer',
        replace: 'if ("id" in selection) await sessions.endFormer',
      },
    ],
    setting: former,
    within: 300,
  },
  {
    name: "A half without tracking drops what a token says about its session",
    edits: [
      {
        file: "session/kept-facts.ts",
        find: "const token: JWT = { ...kept, ...facts }",
        replace: "const token: JWT = { ...kept, jti: String(facts) }",
      },
    ],
    setting: former,
    within: 100,
  },
]
