import assert from "node:assert/strict"
import { user } from "../fixtures/host.ts"
import { assertResponse, inFlightCounts, type RateScenario, rateGoals, type Subject } from "../scenario.ts"

/** Requests that are answered with the session of the user. */
const checkOfUser = (words: Omit<RateScenario<Response>, "kind" | "assertDone">): RateScenario<Response> => ({
  ...words,
  kind: "rate",
  assertDone: assertUserSession,
})

export const sessionStateless: RateScenario<Response> = checkOfUser({
  id: "session-stateless",
  title: "Stateless session, signed in",
  targets: ["latchkey", "auth-core", "better-auth", "iron-session", "limit"],
  goals: rateGoals({ one: 22, many: 9.5, limit: 1.3 }, { limit: 1.5 }),
  notes: [
    "The limit: find the cookie, decrypt, check the expiry, encrypt again, write the cookie and the Response.",
    "better-auth reads its encrypted cookie cache and does not renew it.",
  ],
})

export const sessionAnonymous: RateScenario<Response> = {
  kind: "rate",
  id: "session-anonymous",
  title: "Session, not signed in",
  targets: ["latchkey", "auth-core", "better-auth", "iron-session", "limit"],
  goals: [
    ...rateGoals({ one: 5.6, many: 5, limit: 1.6 }),
    { kind: "within", who: "latchkey", than: "iron-session", inFlight: 1, times: 1.05 },
  ],
  notes: ["The limit: look for the cookie, write the Response."],
  async assertDone(response, subject) {
    assertResponse(response, 200, subject)
    assert.equal(await response.clone().json(), null)
  },
}

export const sessionMemory: RateScenario<Response> = checkOfUser({
  id: "session-memory",
  title: "Stored session, in memory",
  targets: ["latchkey", "auth-core", "better-auth", "limit"],
  goals: rateGoals({ one: 4.4, many: 4, limit: 1.6 }),
  notes: ["The limit: find the cookie, one lookup in a map, check the expiry, write the cookie and the Response."],
})

export const sessionSqlite: RateScenario<Response> = checkOfUser({
  id: "session-sqlite",
  title: "Stored session, in SQLite",
  targets: ["latchkey", "auth-core", "better-auth", "limit"],
  goals: rateGoals({ one: 4.5, many: 3.6, limit: 1.6 }),
  notes: [
    "latchkey and auth-core use the same adapter; every target uses Node's SQLite, in memory.",
    "The limit: find the cookie, one prepared statement, check the expiry, write the cookie and the Response.",
  ],
})

export const sessionEdge: RateScenario<Response> = checkOfUser({
  id: "session-edge",
  title: "Stateless session on Web Crypto, as on edge runtimes",
  targets: ["latchkey-edge", "auth-core-edge"],
  goals: [
    { kind: "faster", who: "latchkey-edge", than: "auth-core-edge", inFlight: 1, times: 4 },
    // Web Crypto runs on other threads: when other processes occupy those, both targets are equally slow.
    { kind: "faster", who: "latchkey-edge", than: "auth-core-edge", inFlight: 32, times: 4, usual: 2.5 },
  ],
  notes: ["Both run on Node without its package condition, which loads the builds for other runtimes."],
})

export const sessionLargeConfig: RateScenario<Response> = checkOfUser({
  id: "session-large-config",
  title: "Stateless session, 100 providers and ten callbacks and events",
  targets: ["latchkey", "auth-core"],
  goals: rateGoals({ one: 22, many: 9.5 }),
  notes: ["One configuration object for all requests."],
})

export const sessionNewConfig: RateScenario<Response> = checkOfUser({
  id: "session-new-config",
  title: "Stateless session, a new configuration of ten providers for each request",
  targets: ["latchkey", "auth-core", "latchkey-one-config"],
  goals: [
    ...rateGoals({ one: 7, many: 5 }),
    ...inFlightCounts.map((inFlight) => ({ kind: "within", than: "latchkey-one-config", inFlight, times: 2 }) as const),
  ],
  notes: ["As with a lazy configuration that returns a new object each time. Every object is validated as a whole."],
})

export const encode: RateScenario<string> = {
  kind: "rate",
  id: "encode",
  title: "encode",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 22, limit: 1.25 }),
  notes: ["The limit: claims as JSON with a random id, one encryption."],
  assertDone: (token) => assert.match(token, /^ey[\w-]+\.\.[\w-]+\.[\w-]{200,}\.[\w-]{43}$/),
}

export const decode: RateScenario = {
  kind: "rate",
  id: "decode",
  title: "decode",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 29, limit: 1.25 }),
  notes: ["The limit: one decryption, JSON, check the expiry."],
  assertDone: assertUserClaims,
}

export const getToken: RateScenario = {
  kind: "rate",
  id: "get-token",
  title: "getToken",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 26, limit: 1.3 }),
  notes: ["The limit: find the cookie, one decryption, JSON, check the expiry."],
  assertDone: assertUserClaims,
}

export const sessionTracked: RateScenario<Response> = checkOfUser({
  id: "session-tracked",
  title: "Stateless session, not tracked, tracked and not due, tracked and due",
  targets: ["latchkey", "latchkey-tracked", "latchkey-tracked-due"],
  goals: inFlightCounts.map((inFlight) => ({
    kind: "within",
    who: "latchkey-tracked",
    than: "latchkey",
    inFlight,
    times: 1.05,
  })),
  notes: [
    "The same sign-in and the same SQLite in memory for each. Until `checkEvery` is over, a check of a tracked session asks the store for nothing.",
    "latchkey-tracked-due asks at each check (`checkEvery: 0`): one statement by primary key, `seeSession`, which is asserted.",
  ],
})

/** Asserts that the response is the user's session. */
async function assertUserSession(response: Response, subject: Subject): Promise<void> {
  assertResponse(response, 200, subject)
  const session: unknown = await response.clone().json()
  assert.ok(typeof session === "object" && session !== null && "user" in session)
  const { name, email, image } = user
  assert.partialDeepStrictEqual(session.user, { name, email, image })
}

/** Asserts the user's claims, with an expiry in the future. */
function assertUserClaims(claims: unknown): void {
  const { id, email } = user
  assert.partialDeepStrictEqual(claims, { sub: id, email })
  assert.ok(typeof claims === "object" && claims !== null && "exp" in claims && Number(claims.exp) * 1000 > Date.now())
}
