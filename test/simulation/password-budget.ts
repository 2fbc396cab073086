import { type Exchange, nameInForm } from "./exchange.js"
import type { Model } from "./model.js"
import { beginning, dayMs } from "./people.js"

/** Wrong passwords for one account from one network. */
export const pairLimit = 5
export const pairWindowSeconds = 900

/** Attempts that may be counted in one window and reach the host in the next. */
export const mostParallel = 4

/** Wrong passwords for one account from networks that it does not know. */
export const accountLimit = 8

/** The account that a name means, however it is spelled: what mail servers, URL parsers and this world's host make of it. */
export function accountOf(name: string): string {
  const visible = name.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}\p{Z}]/gu, "")
  return visible.replaceAll("\u3002", ".").toLowerCase()
}

/** A password that was found wrong. */
interface WrongPassword {
  /** The user name or the address. */
  readonly name: string
  readonly network: string
  readonly isNetworkKnown: boolean
}

/** Counts a wrong password, which no budget refused. */
export function countWrongPassword({ name: typed, network, isNetworkKnown }: WrongPassword, model: Model): void {
  const { wrongPasswords, strangeGuesses, knownNetworks, violations } = model
  const name = accountOf(typed)
  const key = `${network} ${name}`
  if (!knownNetworks.has(key)) strangeGuesses.set(name, (strangeGuesses.get(name) ?? 0) + 1)
  const times = [...(wrongPasswords.get(key) ?? []), model.now()]
  wrongPasswords.set(key, times)
  const recent = times.filter((time) => time > model.now() - pairWindowSeconds * 1000).length
  // Two windows may meet within the length of one, and a counted attempt may reach the host later.
  if (isNetworkKnown && recent > 2 * pairLimit + mostParallel) {
    const sentence = `${recent} wrong passwords of one network were tried for one account within one window.`
    violations.push({ rule: "budget", sentence })
  }
  // Networks from which the user signed in have budgets of their own.
  const strange = [...wrongPasswords].filter(([other]) => other.endsWith(` ${name}`) && !knownNetworks.has(other))
  const count = strange.flatMap(([, all]) => all).length
  const days = Math.ceil((model.now() - beginning) / dayMs) + 1
  if (count > days * accountLimit + mostParallel) {
    violations.push({ rule: "budget", sentence: `${count} wrong passwords were tried for one account within one day.` })
  }
}

/** A right password makes the network known, and the wrong ones from it count no more. Of an unknown network they still do. */
export function rememberRightPassword(exchange: Pick<Exchange, "browser" | "form">, model: Model): void {
  if (!exchange.browser.isNetworkKnown) return
  const pair = `${exchange.browser.network.address} ${accountOf(nameInForm(exchange))}`
  const newest = Math.max(...[...model.unanswered].map(({ id }) => id))
  if (!model.knownNetworks.has(pair)) model.knownNetworks.set(pair, newest)
  model.wrongPasswords.delete(pair)
}
