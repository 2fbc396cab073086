import type { CookieJar } from "../../http/cookies.js"
import { toIdText } from "../../runtime/id.js"
import { isDate } from "../../runtime/instance.js"
import { systemClock } from "../../runtime/promise.js"
import type { AcceptedSource } from "../../types/config.js"
import type { JWT } from "../../types/jwt.js"
import type { SourcePart } from "../feature.js"
import { createMoving } from "./moving.js"
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
    // as: both readings come from the reader, whose claims they are.
    toSubject: (reading) => toIdText(subject ? subject(reading.claims as Claims) : reading.subject),
    async allows(found) {
      if (allow === undefined) return found.concerns.length === 0
      return (await allow(found as FoundSession<Claims>)) === true // as: as above.
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
  if (source.isOver()) return null
  for (const { name, value } of listValues(jar, source)) {
    const reading = await source.read(value, toReaderVisit(source, jar, name))
    if (reading.kind !== "found") continue
    const id = source.toSubject(reading)
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
