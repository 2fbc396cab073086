/** Names of variables and options whose values are secrets, or may have one in them. */
const secretName = /secret|key|token|pass|pwd|credential|dsn|url|uri|server|conn|salt|pepper/i

/** Shorter values, and plain words, occur by chance. */
const minLength = 6
const plainWord = /^(?:[a-z]{1,11}|\d+)$/

/**
 * Returns a function that removes secrets from every text of a value: those of the environment and of a configuration, the
 * passwords of URLs, and tokens.
 */
export function createRedaction(
  variables: Readonly<Record<string, string | undefined>>,
  configuration: unknown = undefined,
): <Value>(value: Value) => Value {
  const secrets = new Set<string>()
  for (const [name, value = ""] of Object.entries(variables))
    if (secretName.test(name) && !/^(?:OLD)?PWD$/.test(name)) addSecret(value, secrets)
  collect(configuration, secrets, new Set())
  const longestFirst = [...secrets].toSorted((one, other) => other.length - one.length)
  const clean = (text: string) =>
    longestFirst
      .reduce((left, secret) => left.replaceAll(secret, "[withheld]"), text)
      .replace(/(\/\/[^\s/:@]*):(?!<password>@)[^\s/@]*@/g, "$1:[withheld]@")
      .replace(/\beyJ[\w-]{5,}[\w.-]*/g, "[withheld]")
  // as: strings stay strings, and everything else is copied.
  const redact = <Value>(value: Value): Value => mapTexts(value, clean) as Value
  return redact
}

function addSecret(value: string, secrets: Set<string>): void {
  // An address of a site is public, and findings name it.
  const url = URL.parse(value)
  if (url && /^https?:$/.test(url.protocol) && url.password === "" && url.search === "") return
  for (const text of [value, url?.password ?? "", decode(url?.password ?? "")]) {
    if (text.length < minLength || plainWord.test(text)) continue
    // What a provider or a server repeats of a form, or of a URL.
    for (const form of [text, encodeURIComponent(text.toWellFormed())]) secrets.add(form)
  }
}

/** A text as it is if it is not percent-encoded. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The secrets of an object's own fields, by their names. */
function collect(value: unknown, secrets: Set<string>, seen: Set<object>): void {
  if (typeof value !== "object" || value === null || seen.has(value) || seen.size > 500) return
  seen.add(value)
  for (const name of Object.keys(value)) {
    // A getter may do anything.
    const field: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
    if (typeof field === "string") secretName.test(name) && addSecret(field, secrets)
    else if (Array.isArray(field) && secretName.test(name))
      for (const each of field) typeof each === "string" && addSecret(each, secrets)
    else collect(field, secrets, seen)
  }
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, map)]))
}
