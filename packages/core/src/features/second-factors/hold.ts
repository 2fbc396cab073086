import type { User } from "@latchkey/types"
import type { AuthMethod } from "../../account/proof.js"
import { chooseReplayGuard, createFlowId, type FlowId, isFlowId } from "../../checks/replay.js"
import { type Opened, sealedCookie } from "../../checks/sealed-cookie.js"
import { TokenTooLong } from "../../crypto/jwt.js"
import { randomId } from "../../crypto/random.js"
import { createSealer, type Sealer } from "../../crypto/seal.js"
import { HeldExpired, HeldTooLarge } from "../../errors/errors.js"
import type { Store } from "../../host/store.js"
import { adviseOn, type CookieRules, findRoom, measure } from "../../http/cookie-budget.js"
import type { CookieJar } from "../../http/cookies.js"
import { ownCookies } from "../../http/own-cookies.js"
import { isRecord, parseJson } from "../../runtime/json.js"
import { systemClock } from "../../runtime/promise.js"
import { clearSessionCookies, readSessionCookies, SessionTooLarge, writeSessionCookies } from "../../session/cookies.js"
import type { SignedIn } from "../../session/session.js"
import type { AdapterFactor } from "../../types/adapter-features.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ProvenSignIn } from "../feature.js"
import type { HoldStep } from "./admission.js"
import { endingKind } from "./factor.js"

/** A proven sign-in that waits for another step. It has no session. */
export interface HeldSignIn extends PendingHold {
  readonly signIn: KeptSignIn
}

/**
 * A proven sign-in as it is kept: whole, so that a fact that is added to it is kept, too. Only the user is left out, who is
 * read from the store again; one whom the app's `authorize` returned is kept as JSON.
 */
export type KeptSignIn = Omit<ProvenSignIn, "signedIn"> & {
  readonly signedIn: Omit<SignedIn, "user"> & { readonly user: User | null }
}

export function toKept({ signedIn, ...others }: ProvenSignIn): KeptSignIn {
  return { ...others, signedIn: { ...signedIn, user: signedIn.isUserFromHost ? toJsonUser(signedIn.user) : null } }
}

/** Replaces each bigint, which some databases return, by text: JSON has none. */
function toJsonUser(user: User): User {
  return JSON.parse(JSON.stringify(user, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)))
}

/** The sign-in with its user, who has now been proved by these methods too. */
export function toProven(
  { signedIn, ...others }: KeptSignIn,
  user: User,
  methods: readonly AuthMethod[],
): ProvenSignIn {
  return { ...others, signedIn: { ...signedIn, user, achieved: [...signedIn.achieved, ...methods] } }
}

/** What a page for the next step needs. */
export interface PendingHold {
  /** Identifies the hold, such as to count its failed attempts. */
  readonly flow: FlowId
  readonly userId: string
  readonly step: HoldStep
  readonly achieved: readonly AuthMethod[]
  /** The id of the provider of the sign-in. Undefined in a hold of an earlier version. */
  readonly provider: string | undefined
  /** Ids of the times before that all sessions of the user were ended. A later one ends this sign-in. */
  readonly endings: readonly string[]
}

/** Sign-ins that wait for another step: each for ten minutes, in one browser, for one completion. */
export interface Holds {
  /** @throws HeldTooLarge when the sign-in fits neither into cookies nor, for lack of a method, into the store */
  keep(held: NewHold, jar: CookieJar): Promise<readonly ResponseCookie[]>
  /** What this browser waits for. Null if nothing, or if it took too long. */
  find(jar: CookieJar): Promise<PendingHold | null>
  /**
   * Takes the sign-in of this browser to complete it.
   * @throws HeldExpired when there is none, it took too long, or it was completed before
   */
  take(jar: CookieJar): Promise<HeldSignIn>
  /**
   * Counts an attempt of this browser before it is made, in all processes if the adapter has `consumeOnce`.
   * @throws HeldExpired after five of them: the sign-in begins again, with its first factor
   */
  countAttempt(pending: PendingHold): Promise<void>
  /** The cookies that forget the sign-in of this browser. */
  clear(jar: CookieJar): readonly ResponseCookie[]
}

/** What is kept about a sign-in. */
export interface NewHold extends Omit<HeldSignIn, "flow" | "achieved" | "provider"> {}

/** How long a person may take for the step. */
const maxAgeSeconds = ownCookies.held.seconds ?? 0

/** A code has a million values, and three of them are right at a time. */
const maxAttempts = 5

/** As many as a session has: with more, Node's limit of 16 KiB would refuse each request of the browser. */
const maxChunks = 3

/** Purpose of what the store keeps. */
const storedPurpose = "held:sign-in"

interface HoldsOptions {
  readonly cookieRules: CookieRules
  readonly secrets: readonly string[]
  readonly store: Store | null
}

export function createHolds({ cookieRules, secrets, store }: HoldsOptions): Holds {
  const sealer = createSealer(secrets, systemClock)
  const replayGuard = chooseReplayGuard(store)
  const sealed = sealedCookie<SealedHold>(ownCookies.held, { ...cookieRules, secrets })
  const { cookie } = sealed
  const open = async (jar: CookieJar) => {
    for (const value of await sealed.open(readSessionCookies(jar, cookie.name))) {
      const pending = parsePending(value)
      if (pending) return pending
    }
    return null
  }

  return {
    async keep(held, jar) {
      const { signIn, ...others } = held
      // as: methods name their proofs so.
      const achieved = signIn.signedIn.achieved as readonly AuthMethod[]
      const { provider } = signIn.signedIn.account
      const pending = { ...others, achieved, provider, flow: createFlowId(systemClock) }
      const where = store?.has("keepTemporary") ? { stored: await keepInStore(signIn, sealer, store) } : { signIn }
      try {
        const written = writeSessionCookies(await sealed.write({ ...pending, ...where }), jar, maxChunks)
        const room = findRoom("held", cookie.name, { jar, replied: [] }, cookieRules)
        if (measure(written) > room) throw new TokenTooLong(`There is room for ${room} characters`)
        return written
      } catch (error) {
        throw error instanceof TokenTooLong || error instanceof SessionTooLarge
          ? new HeldTooLarge(tooLarge, error)
          : error
      }
    },
    find: open,
    async take(jar) {
      const pending = await open(jar)
      if (!pending)
        throw new HeldExpired(
          "The browser has no sign-in that waits, it waited too long, or a process with another secret began it",
        )
      const { stored, signIn: own, ...hold } = pending
      if (!(await replayGuard.consume(hold.flow))) throw new HeldExpired("The sign-in was completed before")
      const signIn = own ?? (await takeFromStore(stored, sealer, store))
      if (!signIn) throw new HeldExpired("The store no longer has the sign-in")
      return { ...hold, signIn }
    },
    async countAttempt({ flow }) {
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        if (await replayGuard.consume(`${flow} attempt ${attempt}`)) return
      }
      await replayGuard.consume(flow)
      throw new HeldExpired("The sign-in had too many wrong second factors")
    },
    clear: (jar) => clearSessionCookies(jar, cookie),
  }
}

/** A hold as the cookie has it: with the sign-in, or with its id in the store. */
type SealedHold = Pick<PendingHold, keyof PendingHold> & { readonly stored?: string; readonly signIn?: KeptSignIn }

/** Null for one of an earlier version, which its user begins again. */
function parsePending(opened: Opened<SealedHold>): SealedHold | null {
  const { flow, userId, step, achieved, provider, endings, stored, signIn } = opened
  if (!isFlowId(flow) || typeof userId !== "string" || !Array.isArray(achieved) || !Array.isArray(endings)) return null
  if (step !== "second-factor" && step !== "enroll") return null
  const via = typeof provider === "string" ? provider : undefined
  const pending = { flow, userId, step, achieved, provider: via, endings } as const
  if (typeof stored === "string") return { ...pending, stored }
  return isKept(signIn) ? { ...pending, signIn } : null
}

/** What `keep` sealed. The check is for values of an earlier version. */
function isKept(value: unknown): value is KeptSignIn {
  return isRecord(value) && isRecord(value["signedIn"]) && isRecord(value["signedIn"]["account"])
}

async function keepInStore(signIn: KeptSignIn, sealer: Sealer, store: Store): Promise<string> {
  const id = randomId(22)
  const value = await sealer.seal(storedPurpose, { id, json: JSON.stringify(signIn) }, maxAgeSeconds)
  await store.keepTemporary({ id, value, expires: new Date(systemClock() + maxAgeSeconds * 1000) })
  return id
}

async function takeFromStore(id: string | undefined, sealer: Sealer, store: Store | null): Promise<KeptSignIn | null> {
  const value = id !== undefined && store?.has("takeTemporary") ? await store.takeTemporary(id) : null
  const claims = value === null ? null : await sealer.open(storedPurpose, value)
  // The value of another row must not complete this sign-in.
  if (claims?.["id"] !== id || typeof claims?.["json"] !== "string") return null
  const signIn = parseJson(claims["json"])
  return isKept(signIn) ? signIn : null
}

const tooLarge = `The sign-in is too large for cookies while it waits for the next step. ${adviseOn("held")}`

export const isEnding = ({ kind }: Pick<AdapterFactor, "kind">): boolean => kind === endingKind

/** The ids of the endings among a user's rows. */
export const listEndings = (rows: readonly AdapterFactor[]): readonly string[] =>
  rows.filter(isEnding).map(({ id }) => id)

/**
 * Ends the sign-ins of a user that wait for a second factor, because all sessions of the user end. It is a row beside the
 * factors, which the gate reads anyway. It has no time, since the clocks of two processes may differ: a sign-in that waits
 * knows the endings from before, and any other ends it.
 * @param spared The sign-in that goes on.
 */
export async function endWaiting(
  userId: string,
  store: Pick<Store, "getUser" | "listFactors" | "createFactor" | "deleteFactor">,
  spared?: FlowId,
): Promise<void> {
  // Only a stored user can have factors, and so a sign-in that waits.
  if (!(await store.getUser(userId))) return
  const former = listEndings(await store.listFactors(userId))
  const row = { id: randomId(22), userId, kind: endingKind, secret: "none", label: spared ?? null, version: 0 }
  // First, so that a process that dies in between leaves one that ends them all.
  await store.createFactor({ ...row, createdAt: new Date(systemClock()), lastUsedAt: null, lastStep: null })
  for (const id of former) await store.deleteFactor(id)
}

/** Whether all sessions of the user ended while the sign-in waited. */
export function isEnded(
  { flow, endings }: Pick<PendingHold, "flow" | "endings">,
  rows: readonly AdapterFactor[],
): boolean {
  return rows.some((row) => isEnding(row) && row.label !== flow && !endings.includes(row.id))
}
