/** A secret to look for, with a name. */
export interface Canary {
  readonly name: string
  readonly value: string
}

/** A secret found in a text. It does not contain the secret itself. */
export interface Leak {
  /** Name of the canary. */
  readonly canary: string
  /** How the secret was encoded. */
  readonly form: "plain" | "percent-encoded" | "form-encoded" | "json" | "html" | "hex" | "base64" | "base64url"
  /** Index in the list of texts. */
  readonly text: number
  /** Index in that text. */
  readonly at: number
}

/** A list of secrets to look for. */
export interface Canaries {
  /** Creates a unique secret and adds it. */
  plant(name: string): string
  /** Adds an existing secret. @throws RangeError if it has fewer than 8 characters */
  watch(name: string, value: string): void
  /** All secrets so far. */
  readonly all: readonly Canary[]
}

/** Shorter secrets would be found by chance. */
const minLength = 8

/** Creates an empty list of secrets. */
export function createCanaries(): Canaries {
  const all: Canary[] = []

  function watch(name: string, value: string): void {
    if (value.length < minLength) throw new RangeError(`The canary "${name}" has fewer than ${minLength} characters`)
    all.push({ name, value })
  }

  return {
    all,
    watch,
    plant(name) {
      // Contains characters that each encoding writes differently.
      const value = `c4n4ry+/&é ~-${crypto.randomUUID()}`
      watch(name, value)
      return value
    },
  }
}

/**
 * Searches texts for secrets, plain or in any usual encoding, base64 at any offset included.
 * @example expect(findLeaks(logger.texts(), canaries.all)).toEqual([])
 */
export function findLeaks(texts: readonly string[], canaries: readonly Canary[]): readonly Leak[] {
  if (texts.length === 0) return []
  const plain = toHaystack(texts)
  const lower = once(() => toHaystack(texts.map((text) => text.toLowerCase())))
  return canaries.flatMap(({ name, value }) =>
    Object.entries(encodings(value)).flatMap(([form, written]) =>
      // as: the keys of the table are the forms
      search(form === "hex" ? lower() : plain, written).map((hit) => ({
        canary: name,
        form: form as Leak["form"],
        ...hit,
      })),
    ),
  )
}

interface Haystack {
  readonly texts: readonly string[]
  /** All texts joined, equal ones once. Usually nothing is found, which one search of it shows. */
  readonly whole: string
}

const toHaystack = (texts: readonly string[]): Haystack => ({ texts, whole: [...new Set(texts)].join("\n") })

function search({ texts, whole }: Haystack, written: readonly string[]): readonly Pick<Leak, "text" | "at">[] {
  if (!written.some((text) => whole.includes(text))) return []
  return texts.map((text, index) => ({ text: index, at: firstIndexOf(text, written) })).filter(({ at }) => at >= 0)
}

function once<T>(make: () => T): () => T {
  const made: T[] = []
  return () => (made[0] ??= make())
}

/** What URLs, forms, JSON and HTML write as it is. Most secrets consist of it. */
const unescaped = /^[\w.-]*$/

/** A secret in each encoding, without forms that equal an earlier one. */
function encodings(value: string): Partial<Record<Leak["form"], readonly string[]>> {
  const bytes = toBytes(value)
  const base64 = [0, 1, 2].map((offset) => toBase64(bytes, offset))
  const forms: Partial<Record<Leak["form"], readonly string[]>> = {
    plain: [value],
    ...(!unescaped.test(value) && escapedForms(value)),
    hex: [toHex(bytes)],
    base64,
    base64url: base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  }
  const seen = new Set<string>()
  const fresh = Object.entries(forms).map(([form, texts]) => {
    const unseen = texts.filter((text) => !seen.has(text))
    for (const text of unseen) seen.add(text)
    return [form, unseen] as const
  })
  return Object.fromEntries(fresh)
}

const escapedForms = (value: string) => ({
  "percent-encoded": [encodeURIComponent(value)],
  "form-encoded": [new URLSearchParams({ v: value }).toString().slice(2)],
  json: [JSON.stringify(value).slice(1, -1)],
  html: [escapeHtml(value), escapeHtml(value).replaceAll(">", "&gt;").replaceAll("'", "&#39;")],
})

/** The UTF-8 bytes of a text, as the characters that `btoa` takes. */
function toBytes(text: string): string {
  if (isAscii.test(text)) return text
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("")
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = /^[\x00-\x7f]*$/

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

function toHex(bytes: string): string {
  let hex = ""
  for (let at = 0; at < bytes.length; at++) hex += hexOf[bytes.charCodeAt(at)]
  return hex
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}

/** The base64 characters that depend on these bytes alone, after `offset` preceding bytes. */
function toBase64(bytes: string, offset: number): string {
  const text = btoa("\0".repeat(offset) + bytes)
  const start = [0, 2, 3][offset] ?? 0
  const end = Math.floor(((offset + bytes.length) * 8) / 6)
  return text.slice(start, end)
}

function firstIndexOf(text: string, written: readonly string[] | undefined): number {
  return (written ?? []).reduce((found, form) => (found >= 0 ? found : text.indexOf(form)), -1)
}
