import { createFlowId, type FlowId, isFlowId, type ReplayGuard, startOf } from "../checks/replay.js"
import { createSealer } from "../crypto/seal.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { ownCookies, type ResolvedCookies, toMailCookie } from "../http/own-cookies.js"
import type { Resending } from "../pages/email-pages.js"
import { clockToleranceMs, systemClock } from "../runtime/promise.js"
import type { ResponseCookie } from "../types/http.js"

/**
 * A mail that a browser asked for. The browser keeps it in a sealed cookie, so that the link works there at once and the
 * code works nowhere else.
 */
export interface MailFlow {
  /** The name of its cookie, after the dot. It stays when the mail is sent again. */
  readonly id: FlowId
  /** The id of the mail. Guesses are counted by it, and a mail that is sent again gets another. */
  readonly mailId: string
  readonly provider: string
  /** The address that the mail was sent to. */
  readonly identifier: string
  /** The token of the link. */
  readonly token: string
  /** Undefined if the mail has no code. */
  readonly code?: MailedCode | undefined
  /** Where to go after the sign-in. Undefined when it is too long for the cookie. */
  readonly target?: string | undefined
  /** When the email can be sent once more, if it was sent again from another browser. Milliseconds since 1970. */
  readonly waitsUntil?: number | undefined
  /** What else the flow needs when it goes on, such as the hash of a password that was chosen here. */
  readonly data?: string | undefined
}

interface MailedCode {
  readonly hash: string
  /** Milliseconds since 1970. */
  readonly expires: number
}

/** The mails that a browser asked for. */
export interface MailFlows {
  /** Those of one provider, the newest first. */
  find(jar: CookieJar, providerId: string): Promise<readonly MailFlow[]>
  /** The cookies that keep a flow, in place of the same or of the oldest one. */
  keep(flow: MailFlow, jar: CookieJar, maxAgeSeconds: number): Promise<readonly ResponseCookie[]>
}

const purpose = ownCookies.mail.seal

/** How many mails a browser remembers. */
const maxFlows = 3
/** How many cookies are opened. Without https, a neighboring site could plant any number. */
const maxOpened = 6
/** Characters: three of these cookies must leave room for a session. */
const maxTargetLength = 440

export function createMailFlows(
  secrets: readonly string[],
  cookies: Pick<ResolvedCookies, "csrfToken" | "sessionToken">,
): MailFlows {
  const cookie = toMailCookie(cookies)
  const prefix = `${cookie.name}.`
  const sealer = createSealer(secrets)

  /** Ids start with the time, so the oldest comes first. */
  function listIds(jar: CookieJar): readonly FlowId[] {
    const ids = jar.namesStarting(prefix).map((name) => name.slice(prefix.length))
    return ids.filter(isFlowId).sort()
  }

  return {
    async find(jar, providerId) {
      const ids = listIds(jar).slice(-maxOpened)
      const found = await Promise.all(
        ids.map(async (id) => {
          const flow = await sealer.open(purpose, jar.get(`${prefix}${id}`) ?? "")
          return flow?.["id"] === id ? (flow as object as MailFlow) : null // as: only `keep` seals for this purpose.
        }),
      )
      return found
        .filter((flow) => flow !== null)
        .filter(({ provider }) => provider === providerId)
        .toSorted((one, other) => (one.mailId < other.mailId ? 1 : -1))
    },
    async keep({ target, ...flow }, jar, maxAgeSeconds) {
      const { id } = flow
      const kept = target !== undefined && target.length <= maxTargetLength ? target : undefined
      const claims = { ...flow, target: kept } satisfies MailFlow
      const value = await sealer.seal(purpose, claims, maxAgeSeconds)
      const others = listIds(jar).filter((other) => other !== id)
      const surplus = others.slice(0, Math.max(0, others.length - maxFlows + 1))
      const toOption = (flow: FlowId, options = cookie.options) => ({ name: `${prefix}${flow}`, options })
      return [
        ...surplus.map((other) => clearedCookie(toOption(other))),
        { ...toOption(id, { ...cookie.options, maxAge: maxAgeSeconds }), value },
      ]
    },
  }
}

/** The ids of a new mail. One that is sent again stays in the flow of the former mail. */
export function createMailIds(former?: Pick<MailFlow, "id">): Pick<MailFlow, "id" | "mailId"> {
  const now = systemClock()
  const mailId = createFlowId(() => now)
  return { id: former?.id ?? createFlowId(() => now), mailId }
}

/** How long the page waits before it sends an email once more. */
const pauseSeconds = 30

/** Whether the email of a flow was sent again, and when it can be sent once more. */
export function findResending({
  id,
  mailId,
  waitsUntil = 0,
}: Pick<MailFlow, "id" | "mailId" | "waitsUntil">): Resending {
  const sentAt = startOf(mailId as FlowId) // as: made by `createMailIds`.
  const isResent = sentAt !== startOf(id)
  const leftMs = Math.max(waitsUntil, isResent ? sentAt + pauseSeconds * 1000 : 0) - systemClock()
  // More is left if the clock was set back.
  return { isResent, pauseSeconds: leftMs > clockToleranceMs ? 0 : Math.max(0, Math.ceil(leftMs / 1000)) }
}

/** A pause consists of several, so that no email waits longer than it. */
const slotMs = (pauseSeconds / 3) * 1000

/**
 * Begins the pause after an email that is sent again, for all browsers: one that lost its cookie has no flow. Counted for every
 * address alike.
 * @returns null, or the time until which a former pause lasts
 */
export async function beginPause(name: string, guard: ReplayGuard): Promise<number | null> {
  const slot = Math.floor(systemClock() / slotMs)
  const idOf = (n: number) => `mail again ${name} ${slot + n}`
  if (!(await guard.consume(idOf(0)))) return (slot + 1) * slotMs
  await Promise.all([guard.consume(idOf(1)), guard.consume(idOf(2))])
  return null
}

/** Whether a mail has a code that is young enough. */
export function isCodeLive({ code }: MailFlow): boolean {
  return code !== undefined && code.expires > systemClock()
}

/** How often the code of one mail may be tried. */
export const maxGuesses = 5

const guessId = ({ mailId }: MailFlow, n: number): string => `mail code ${mailId} ${n}`

/** Counts a guess before it is checked: 1 for the first. Null when all are used up. */
export async function takeGuess(flow: MailFlow, guard: ReplayGuard): Promise<number | null> {
  for (let n = 1; n <= maxGuesses; n++) if (await guard.consume(guessId(flow, n))) return n
  return null
}

/** Uses up all guesses, so that a code that was sent again does not leave two to guess. */
export async function voidCode(flow: MailFlow, guard: ReplayGuard): Promise<void> {
  if (!isCodeLive(flow)) return
  await Promise.all(Array.from({ length: maxGuesses }, (_, n) => guard.consume(guessId(flow, n + 1))))
}
