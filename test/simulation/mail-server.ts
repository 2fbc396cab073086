import type { MailFacts } from "./facts.js"
import { liveUserOf, type Model } from "./model.js"
import { ownsMailbox, type Person } from "./people.js"
import type { Scheduler } from "./scheduler.js"

/** A mail that the service sends. */
export interface Letter extends Pick<MailFacts, "provider" | "to" | "url" | "token" | "code" | "purpose"> {
  /** Whether it has something that its reader can use. Otherwise it only tells what happened. */
  readonly hasSecret: boolean
}

interface MailWorld {
  readonly scheduler: Scheduler
  readonly model: Model
  readonly people: readonly Person[]
}

/** Delivers a mail: now, twice, or never; with or without an answer. */
export async function deliverMail(
  { hasSecret, ...letter }: Letter,
  instance: number,
  { scheduler, model, people }: MailWorld,
): Promise<void> {
  const label = `mail.${letter.provider}`
  const exchange = scheduler.running()?.exchange
  const outcome = await scheduler.cut({ label, faults: ["fail", "lost", "twice"], instance })
  if (outcome !== "ok") exchange?.faults.push(`${label}: ${outcome}`)
  if (outcome === "fail") throw new Error("The mail server cannot be reached")
  if (exchange && hasSecret) {
    const owner = people.find((person) => ownsMailbox(person, letter.to))
    const { browser, id: exchangeId } = exchange
    const { version: passwordVersion = null } =
      [...model.passwords.values()].find(({ email }) => email === letter.to) ?? {}
    const user = model.users.get(liveUserOf(model, exchange) ?? "")
    model.mails.push({
      ...letter,
      browser,
      exchangeId,
      owner,
      sentMs: model.now(),
      passwordVersion,
      askedFor: user ? { id: user.id, email: user.email } : null,
      used: 0,
      hasSetPassword: false,
      replacedMs: null,
    })
  }
  if (outcome === "lost") throw new Error("The mail server did not answer")
}
