import { type CookieJar, clearedCookie } from "../../http/cookies.js"
import { systemClock } from "../../runtime/promise.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ReaderVisit, Source } from "./source.js"

/** Values of one name that are tried: a neighboring site can plant any number of them. */
const triedValues = 16
const maxChunks = 20
/** More than cookies of one name have together. */
const maxLength = 80_000

/** A value that may be a session of another library. */
export interface ForeignValue {
  readonly name: string
  readonly value: string
}

type Names = { readonly names: readonly string[]; readonly reader: Pick<Source["reader"], "separators"> }

/** The values of the cookies of a source, those of each name before those of the next. Parts are joined by their numbers. */
export function listValues(jar: CookieJar, { names, reader: { separators = ["."] } }: Names): readonly ForeignValue[] {
  return names.flatMap((name) => {
    const parts = separators.flatMap((separator) => joinParts(jar, `${name}${separator}`))
    const values = new Set([...jar.values(name), ...parts])
    const tried = [...values].filter((value) => value !== "" && value.length <= maxLength && !value.includes("\0"))
    return tried.slice(0, triedValues).map((value) => ({ name, value }))
  })
}

/** Joins the parts up to the first that is missing. Of several parts with one number, the first ones and the last ones. */
function joinParts(jar: CookieJar, start: string): readonly string[] {
  let [first, last] = ["", ""]
  for (let n = 0; n < maxChunks; n++) {
    const values = jar.values(`${start}${n}`)
    if (values.length === 0) break
    first += values[0] ?? ""
    last += values.at(-1) ?? ""
  }
  return [first, last]
}

/** The cookies of a request are searched once for each source. */
const listed = new WeakMap<CookieJar, Map<Source, readonly string[]>>()

/** The names of the request's cookies that a source has: the plain ones, their parts, and their companions. */
export function listNames(jar: CookieJar, source: Source): readonly string[] {
  const known = listed.get(jar) ?? new Map<Source, readonly string[]>()
  const found = known.get(source) ?? findNames(jar, source)
  listed.set(jar, known.set(source, found))
  return found
}

function findNames(jar: CookieJar, { names, reader }: Source): readonly string[] {
  const { separators = ["."], companions } = reader
  const whole = new Set([...names, ...names.flatMap((name) => companions?.(name) ?? [])])
  return [...whole].flatMap((name) =>
    jar.namesStarting(name).filter((each) => {
      const rest = each.slice(name.length)
      return rest === "" || separators.some((each) => rest.startsWith(each) && /^1?\d$/.test(rest.slice(each.length)))
    }),
  )
}

/**
 * The cookies that clear those of a source. One that stands twice in the request may belong to a parent domain.
 * @param hostname Of the request.
 */
export function clearForeign(jar: CookieJar, source: Source, hostname: string): readonly ResponseCookie[] {
  const { domain } = source.options
  return [...new Set(listNames(jar, source))].flatMap((name) => {
    const isDoubled = jar.values(name).length > 1
    const isHostOnly = /^__host-/i.test(name)
    const domains = isHostOnly ? [undefined] : [domain, ...(isDoubled ? [undefined, ...listParents(hostname)] : [])]
    return [...new Set(domains)].map((each) => {
      const secure = /^__(?:secure|host)-/i.test(name)
      return clearedCookie({ name, options: { path: "/", httpOnly: true, sameSite: "lax", secure, domain: each } })
    })
  })
}

/** The domains that a host may set cookies for. Browsers refuse public suffixes themselves. */
function listParents(hostname: string): readonly string[] {
  const labels = hostname.split(".")
  if (/^[\d.:[\]]+$/.test(hostname) || labels.length < 2) return []
  return labels.slice(0, -1).map((_, n) => labels.slice(n).join("."))
}

/**
 * The cookies of a request without those of other libraries, and with those that its answer sets.
 * @param hidden Names that are left out.
 */
export function replaceCookies(
  jar: CookieJar,
  hidden: ReadonlySet<string>,
  set: readonly Pick<ResponseCookie, "name" | "value">[] = [],
): CookieJar {
  const own = new Map(set.filter(({ value }) => value !== "").map(({ name, value }) => [name, value]))
  const values = (name: string) => {
    const value = own.get(name)
    if (value !== undefined) return [value]
    return hidden.has(name) ? [] : jar.values(name)
  }
  return {
    size: jar.size,
    values,
    get: (name) => values(name)[0],
    namesStarting(prefix) {
      const kept = jar.namesStarting(prefix).filter((name) => !hidden.has(name))
      return [...new Set([...kept, ...[...own.keys()].filter((name) => name.startsWith(prefix))])]
    },
  }
}

export function toReaderVisit({ reader }: Pick<Source, "reader">, jar: CookieJar, name: string): ReaderVisit {
  return {
    name,
    now: systemClock(),
    values: (other) => listValues(jar, { names: [other], reader }).map(({ value }) => value),
  }
}
