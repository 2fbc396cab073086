import { isObject } from "../../config/options.js"
import { findWeakness } from "../../crypto/keys.js"
import type { AuthError } from "../../errors/auth-error.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import { runApp } from "../../host/redact.js"
import { type CookieJar, validateCookie } from "../../http/cookies.js"
import { toIdText } from "../../runtime/id.js"
import { isDate } from "../../runtime/merge.js"
import { andThen, systemClock } from "../../runtime/promise.js"
import type { AcceptedSource } from "../../types/config.js"
import type { JWT } from "../../types/jwt.js"
import type { Feature, SourcePart } from "../feature.js"
import { featureFrame } from "../slots.js"
import { createAcceptor } from "./acceptor.js"
import type { FoundReading, FoundSession, Source, SourceOptions, SourceReader } from "./source.js"
import { listValues, toReaderVisit } from "./values.js"

/** Creates a value of `session.accept` from a reader. A mistake in the options is reported when the service starts. */
export function createSource<Claims>(options: SourceOptions<Claims>, reader: SourceReader<Claims>): AcceptedSource {
  const { subject, allow, until } = options
  const names = reader.cookies.length > 0 && options.cookie === undefined ? reader.cookies : toList(options.cookie)
  const source: AcceptedSource & Source & SourcePart = {
    feature: "session.accept",
    options: options as SourceOptions<never>, // as: its functions are called below only, with the claims of its reader.
    reader,
    names,
    isOver: () => !isDate(until) || until.valueOf() <= systemClock(),
    async read(value, visit) {
      const reading = await reader.read(value, visit)
      return reading.kind === "found" && isExpired(reading, visit.now) ? { kind: "over" } : reading
    },
    async toSubject({ claims, subject: usual }) {
      // as: both readings come from the reader, whose claims they are.
      const ask = () => subject?.(claims as Claims)
      return toIdText(subject ? await runApp("session.accept.subject", ask, [claims]) : usual)
    },
    async allows(found) {
      if (allow === undefined) return found.concerns.length === 0
      const ask = () => allow(found as FoundSession<Claims>) // as: as above.
      return (await runApp("session.accept.allow", ask, [found.claims, found.user])) === true
    },
    // as: `session.accept` has values of this function only.
    join: (sources) => createMoving(sources as readonly Source[]),
    findClaims: (jar) => findClaims(source, jar),
  }
  return Object.freeze(source)
}

function isExpired({ expires }: FoundReading, now: number): boolean {
  if (expires === undefined) return false
  const time = expires.valueOf()
  return Number.isNaN(time) || time <= now
}

function toList(names: string | readonly string[] | undefined): readonly string[] {
  return names === undefined ? [] : typeof names === "string" ? [names] : names
}

/** The claims of a session, as `getToken` returns them. Whether it was taken over before is not known here. */
async function findClaims(source: Source, jar: CookieJar): Promise<JWT | null> {
  const { owner = "id" } = source.options
  // The id of an account is not that of its user.
  if (source.isOver() || owner !== "id") return null
  for (const { name, value } of listValues(jar, source)) {
    const reading = await source.read(value, toReaderVisit(source, jar, name))
    if (reading.kind !== "found") continue
    const id = await source.toSubject(reading)
    const { user = {}, claims } = reading
    const found = { claims, subject: id, user: { ...user, id }, concerns: reading.concerns ?? [] }
    if (id === "" || !(await source.allows(found))) continue
    const { name: shown, email, image: picture } = user
    if (reading.token) return reading.token
    return {
      sub: id,
      ...(shown !== undefined && { name: shown }),
      ...(email !== undefined && { email }),
      ...(picture !== undefined && { picture }),
    }
  }
  return null
}

/** The readers of a configuration as one feature. */
function createMoving(sources: readonly Source[]): Feature {
  const { serve, readJar, ...moments } = createAcceptor(sources)
  return {
    feature: "session.accept",
    frame: featureFrame,
    acceptor: { serve, readJar },
    validate: () => findMistake(sources),
    wrapCallbacks: (callbacks) => ({
      ...callbacks,
      jwt: (params, request) => {
        const { mov } = params.token
        return andThen(callbacks.jwt(params, request), (kept) =>
          mov === undefined || kept === null || kept["mov"] === mov ? kept : { ...kept, mov },
        )
      },
    }),
    ...moments,
    onProviderLogout: moments.onEndAll,
  }
}

const dayMs = 24 * 60 * 60 * 1000
const maxDays = 366

/** The first mistake in the options of the readers. A date that is over switches a reader off, and is logged. */
function findMistake(sources: readonly Source[]): AuthError | null {
  for (const [n, source] of sources.entries()) {
    const sentence =
      findDateMistake(source.options.until) ??
      findCookieMistake(source) ??
      findSecretMistake(source, sources) ??
      findOwnMistake(source)
    if (sentence !== null) return new InvalidConfiguration(`session.accept[${n}].${sentence}`)
  }
  return null
}

function findDateMistake(until: unknown): string | null {
  if (until === undefined)
    return `until: missing. Write the day when everybody has moved: until: new Date("2027-03-01")`
  if (!isDate(until) || Number.isNaN(until.valueOf())) return `until: must be a date: new Date("2027-03-01")`
  const isFar = until.valueOf() > systemClock() + maxDays * dayMs
  return isFar ? `until: must be at most ${maxDays} days ahead. Sessions that are not used end by themselves` : null
}

function findCookieMistake({ names, options }: Source): string | null {
  if (names.length === 0) return "cookie: missing. Write the name of the cookie that the library sets"
  const attributes = { path: "/", secure: true, domain: options.domain }
  for (const name of names) {
    const fault = validateCookie(name, /^__host-/i.test(name) ? { path: "/", secure: true } : attributes)
    if (fault !== null) return fault.startsWith("domain") ? `domain: ${fault}` : `cookie: ${fault}`
  }
  return null
}

function findSecretMistake({ reader }: Source, sources: readonly Source[]): string | null {
  if (!reader.secret) return null
  const { option } = reader.secret
  const secrets = listSecrets(reader.secret.value)
  if (secrets.length === 0)
    return `${option}: missing. Pass the secret that the library had. If it is in a file such as .env, load that first`
  for (const secret of secrets) {
    if (typeof secret !== "string") return `${option}: must be text, or a list of texts`
    const weakness = findWeakness(secret)
    if (weakness !== null)
      return (
        `${option}: is ${weakness}, so anyone could forge sessions. Remove it: their users sign in again. ` +
        "Those who visit while the old app signs with a new one stay signed in: pass only that one here"
      )
    const other = sources.find((each) => each.reader.name !== reader.name && hasSecret(each, secret))
    if (other) return `${option}: is that of ${other.reader.name}, too. Each library has its own`
  }
  return null
}

function hasSecret({ reader }: Source, secret: string): boolean {
  return reader.secret !== undefined && listSecrets(reader.secret.value).includes(secret)
}

/** A secret, a list, or an object with a secret for each number. */
function listSecrets(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === "") return []
  if (typeof value !== "object") return [value]
  return Array.isArray(value) ? value : Object.values(value)
}

function findOwnMistake({ reader, options }: Source): string | null {
  const { owner, subject, allow } = options
  const hasOwner = owner === undefined || owner === "id" || (isObject(owner) && typeof owner.provider === "string")
  if (!hasOwner) return `owner: must be "id", or an object with the id of a provider`
  if (subject !== undefined && typeof subject !== "function") return "subject: must be a function"
  if (allow !== undefined && typeof allow !== "function") return "allow: must be a function"
  const mistake = reader.validate?.()
  return mistake ? `${mistake.option}: ${mistake.sentence}` : null
}
