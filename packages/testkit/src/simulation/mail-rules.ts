import { type AnsweredExchange, lastingWrites, type Proof } from "./exchange.js"
import { accountLimit, mailSeconds, mostParallel } from "./host.js"
import type { ExchangeRule, MailFacts, Model } from "./model.js"

/** What a mailed link or code is good for. */
export const mailRules: readonly ExchangeRule[] = [
  { rule: "one-time", findFault: findMisusedMail },
  { rule: "one-time", findFault: findChangeByScanner },
  { rule: "budget", findFault: findGuesses },
]

/** A mailed link or code shows that its sender can read the mailbox. */
export function findMailProof(url: URL, model: Model): readonly Proof[] {
  const mail = findMail(url, model)
  return mail?.owner ? [{ kind: "mailbox", id: mail.to, person: mail.owner }] : []
}

function findMail({ searchParams }: URL, { mails }: Model): MailFacts | undefined {
  const [token, address] = [searchParams.get("token"), searchParams.get("email")]
  if (token === null) return undefined
  return mails.findLast((each) => each.token === token && (address === null || each.to === address))
}

/** A mailed link works once, in time, at the provider that sent it, and for someone who looks at the answer. */
function findMisusedMail(model: Model, { signedIn, url, isUnseen, arrivedMs }: AnsweredExchange): string | null {
  const mail = signedIn && findMail(url, model)
  if (!mail) return null
  mail.used += 1
  if (isUnseen) return `A scanner that looks ahead spent a link of ${mail.provider}.`
  if (arrivedMs - mail.sentMs > (mailSeconds + 60) * 1000)
    return `A link of ${mail.provider} worked after it had expired.`
  if (mail.used > 1) return `One link of ${mail.provider} signed in twice.`
  const isForeign = mail.provider !== signedIn.provider
  return isForeign ? `A code that ${mail.provider} had sent was accepted by ${signedIn.provider}.` : null
}

/** A request that says that no one looks at the answer neither spends a link nor creates anything. */
function findChangeByScanner(_: Model, { isUnseen, writes }: AnsweredExchange): string | null {
  if (!isUnseen) return null
  const change = writes.find(
    ({ method, result }) => lastingWrites.has(method) || (method === "useVerificationToken" && result !== null),
  )
  return change ? `A scanner that looks ahead did ${change.method}.` : null
}

const codeLength = 6

/** Few wrong codes for one address reach the store, however many networks they come from. */
function findGuesses(model: Model, { url, browser, writes, signedIn }: AnsweredExchange): string | null {
  const [token, address] = [url.searchParams.get("token") ?? "", url.searchParams.get("email")]
  const isTried = writes.some(({ method }) => method === "useVerificationToken")
  const isGuess = url.pathname === "/auth/callback/code" && isTried && !signedIn && token.length === codeLength
  if (!isGuess || address === null || address === browser.person.email) return null
  const count = (model.wrongCodes.get(address) ?? 0) + 1
  model.wrongCodes.set(address, count)
  // The run takes less than two days.
  return count > 2 * accountLimit + mostParallel ? `${count} wrong codes for ${address} reached the store.` : null
}
