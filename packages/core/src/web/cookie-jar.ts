/** The cookies of one request, percent-decoded once. Parsed when first asked, only own names are ever found. */
export interface CookieJar {
  /** The first value of this name, as browsers order them (longest path first). */
  get(name: string): string | undefined
  /** Every value of this name, in header order. */
  values(name: string): readonly string[]
  /** The distinct names that begin with `prefix`, in header order. */
  namesStarting(prefix: string): readonly string[]
}

type ValuesByName = ReadonlyMap<string, readonly string[]>

/** The cookies of a `Cookie` header, RFC 6265 section 4.2.1. Never throws: what cannot be decoded stays as it is. */
export function readCookies(header: string | null): CookieJar {
  let parsed: ValuesByName | undefined
  return createJar(() => {
    parsed ??= parsePairs(header ?? "")
    return parsed
  }, decode)
}

/** The jar of cookies that a framework has parsed and decoded already. What is not text is left out. */
export function toCookieJar(cookies: Readonly<Record<string, unknown>>): CookieJar {
  const entries = Object.entries(cookies).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, [value]] as const] : [],
  )
  const values: ValuesByName = new Map(entries)
  return createJar(
    () => values,
    (value) => value,
  )
}

function createJar(read: () => ValuesByName, toValue: (text: string) => string): CookieJar {
  return {
    get(name) {
      const first = read().get(name)?.[0]
      return first === undefined ? undefined : toValue(first)
    },
    values: (name) => (read().get(name) ?? []).map(toValue),
    namesStarting(prefix) {
      const names: string[] = []
      for (const name of read().keys()) if (name.startsWith(prefix)) names.push(name)
      return names
    },
  }
}

/**
 * A map, since a name such as `__proto__` must be a name like any other. Each character is looked at a constant number
 * of times, whatever the header holds.
 */
function parsePairs(header: string): ValuesByName {
  const values = new Map<string, string[]>()
  if (header === "") return values
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=")
    const name = trim(pair.slice(0, Math.max(0, equals)))
    if (name === "") continue
    const value = trim(pair.slice(equals + 1))
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return values
}

/** Without spaces and tabs at both ends, RFC 6265bis section 5.6. Other white space belongs to the text. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t"
}

function decode(value: string): string {
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"')
  const text = isQuoted ? value.slice(1, -1) : value
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Not ours: what we write is well encoded. Another program's cookie must not stop a request.
    return text
  }
}
