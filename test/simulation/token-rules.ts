import type { AnsweredExchange, Exchange, Write } from "./exchange.js"
import { describeUser, type ExchangeRule, endOf, liveUserOf, type Model } from "./model.js"
import { secretMark } from "./people.js"
import type { RefreshToken } from "./provider-tokens.js"

/** A page of the host that asks a provider about the user, with the user's access token. */
export const apiPath = "/app/api"

/** What the tokens of providers are good for. */
export const tokenRules: readonly ExchangeRule[] = [
  { rule: "tokens", findFault: findForeignToken },
  { rule: "tokens", findFault: findLossByOutage },
]

/** A lease outlives the call of its holder by five seconds. With clocks that differ or jump by more, it protects nothing. */
const mostDriftMs = 4500

/** A refresh token is presented once, unless its caller may have died, or never got the answer. */
export function notePresented(model: Model, exchange: Exchange, token: RefreshToken): void {
  model.families.set(`${exchange.url.searchParams.get("provider")} ${token.identity.sub}`, token.family)
  if (token.family.isEnded) return
  const former = model.presented.get(token)
  const now = readDrift(model)
  const { untilMs, driftMs } = model.leases.get(exchange) ?? { untilMs: 0, driftMs: now }
  const driftsMs = [driftMs, now]
  // By the clock of the instance that calls now.
  const isLeased = former !== undefined && Date.now() < former.untilMs
  const isSameTime = former !== undefined && isSteady([...driftsMs, ...former.driftsMs])
  if (former && isSameTime && (former.isStored || isLeased)) {
    const reason = former.isStored ? "its successor was stored" : "another caller had the right to use it"
    const sentence = `A refresh token was presented a second time, though ${reason}.`
    model.violations.push({ rule: "tokens", sentence })
  }
  model.presented.set(token, { exchange, untilMs, driftsMs, isStored: false })
}

/** How far the clock of the instance that runs is off. */
function readDrift(model: Model): number {
  return Date.now() - model.now()
}

function isSteady(driftsMs: readonly number[]): boolean {
  return Math.max(...driftsMs) - Math.min(...driftsMs) < mostDriftMs
}

/** The store gets tokens sealed, and those of a refresh once. */
export function checkTokenWrite(model: Model, exchange: Exchange, { method, args, result }: Write): void {
  if (method === "takeLease" && result === true) {
    const untilMs = new Date(Object(args[0]).until).valueOf()
    model.leases.set(exchange, { untilMs, driftMs: readDrift(model) })
  }
  if (exchange.url.pathname === apiPath && method === "replaceTokens" && result === true) {
    for (const presentation of model.presented.values()) {
      // A store that stalls until the lease has run out comes too late for the next caller, who has read the former tokens.
      if (presentation.exchange === exchange)
        presentation.isStored =
          Date.now() < presentation.untilMs && isSteady([...presentation.driftsMs, readDrift(model)])
    }
  }
  if (!model.promises.keepsTokens || (method !== "replaceTokens" && method !== "linkAccount")) return
  if (!JSON.stringify(args).includes(secretMark)) return
  model.violations.push({ rule: "secret", sentence: `The store got the tokens of a provider in clear by ${method}.` })
}

/** A token is that of an account of the user whose session the request has. */
function findForeignToken(model: Model, exchange: AnsweredExchange): string | null {
  const { url, answer } = exchange
  if (url.pathname !== apiPath || answer.status !== 200) return null
  const { sub } = JSON.parse(answer.body)
  if (sub === null) return null
  const userId = liveUserOf(model, exchange)
  const key = `${url.searchParams.get("provider")} ${sub}`
  const owner = model.accounts.get(key) ?? findFormerOwner(model, exchange, key)
  if (owner === userId) return null
  return `A request of ${userId === null ? "no one" : describeUser(model, userId)} got the token of ${describeUser(model, owner ?? "")}.`
}

/** The user from whom an account was removed while the request was under way. */
function findFormerOwner({ area }: Model, { arrivedMs }: AnsweredExchange, key: string): string | undefined {
  const removal = area.unlinked.get(key)
  return removal && removal.ms >= arrivedMs ? removal.userId : undefined
}

/** Who was not refused by the provider is neither signed out nor has to sign in again. */
function findLossByOutage(model: Model, exchange: AnsweredExchange): string | null {
  const { url, answer, sentSessions, endedBefore } = exchange
  if (url.pathname !== apiPath || answer.status === 200) return null
  const { reason } = JSON.parse(answer.body)
  const live = sentSessions.find((value) => model.sessions.has(value) && !endedBefore.has(value))
  const isAlive = live !== undefined && endOf(model, live) === null
  if (reason === "signed-out" && isAlive && exchange.faults.length === 0) return "A live session got no token."
  if (reason !== "refused") return null
  const provider = url.searchParams.get("provider")
  const own = [...model.families].filter(([key]) => key.startsWith(`${provider} `))
  const isRefused = own.some(([, { isEnded }]) => isEnded)
  return isRefused ? null : "The tokens of a user were given up, though no provider had refused them."
}
