/** A secret that was planted, and what to call it. */
export interface Canary {
  readonly name: string
  readonly value: string
}

/** A secret found where it must not be. Does not repeat the secret. */
export interface Leak {
  readonly canary: string
  /** How it was written there. */
  readonly form: "plain" | "percent-encoded" | "form-encoded" | "json" | "html" | "hex" | "base64" | "base64url"
  /** Position in the list of texts. */
  readonly text: number
  /** Position in that text. */
  readonly at: number
}

/** Secrets to plant and to look for later. */
export interface Canaries {
  /** Makes a secret that occurs nowhere else. */
  plant(name: string): string
  /** Adds a secret that somebody else made. */
  watch(name: string, value: string): void
  readonly all: readonly Canary[]
}

/** What is shorter would be found by chance. */
const shortest = 8

export function createCanaries(): Canaries {
  const all: Canary[] = []

  function watch(name: string, value: string): void {
    if (value.length < shortest) throw new RangeError(`The canary ${name} is shorter than ${shortest} characters`)
    all.push({ name, value })
  }

  return {
    all,
    watch,
    plant(name) {
      // Characters that every encoding writes differently, so that no form goes unnoticed.
      const value = `c4n4ry+/&é ~-${crypto.randomUUID()}`
      watch(name, value)
      return value
    },
  }
}

/**
 * Searches logs and answers for secrets, plain or encoded in the usual ways, base64 at any offset included.
 * @example expect(findLeaks(logger.texts(), canaries.all)).toEqual([])
 */
export function findLeaks(texts: readonly string[], canaries: readonly Canary[]): readonly Leak[] {
  const plain: Haystack = { texts, whole: texts.join("\n") }
  const lower = once(() => {
    const lowered = texts.map((text) => text.toLowerCase())
    return { texts: lowered, whole: lowered.join("\n") }
  })
  return canaries.flatMap(({ name, value }) =>
    Object.entries(writings(value)).flatMap(([form, written]) =>
      // The keys of the table are the forms.
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
  /** All of them in one: nearly always there is nothing to be found, which one look tells. */
  readonly whole: string
}

function search({ texts, whole }: Haystack, written: readonly string[]): readonly Pick<Leak, "text" | "at">[] {
  if (!written.some((text) => whole.includes(text))) return []
  return texts.map((text, index) => ({ text: index, at: firstIndexOf(text, written) })).filter(({ at }) => at >= 0)
}

function once<T>(make: () => T): () => T {
  const made: T[] = []
  return () => (made[0] ??= make())
}

/** A secret in every form that differs from the plain one. */
function writings(value: string): Partial<Record<Leak["form"], readonly string[]>> {
  const bytes = new TextEncoder().encode(value)
  const base64 = [0, 1, 2].map((offset) => toBase64(bytes, offset))
  const forms: Record<Leak["form"], readonly string[]> = {
    plain: [value],
    "percent-encoded": [encodeURIComponent(value)],
    "form-encoded": [new URLSearchParams({ v: value }).toString().slice(2)],
    json: [JSON.stringify(value).slice(1, -1)],
    html: [escapeHtml(value), escapeHtml(value).replaceAll(">", "&gt;").replaceAll("'", "&#39;")],
    hex: [Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")],
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

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}

/** The characters of base64 that depend on these bytes alone, when so many bytes stand before them. */
function toBase64(bytes: Uint8Array, offset: number): string {
  const shifted = [...new Uint8Array(offset), ...bytes]
  const text = btoa(shifted.map((byte) => String.fromCharCode(byte)).join(""))
  const start = [0, 2, 3][offset] ?? 0
  const end = Math.floor(((offset + bytes.length) * 8) / 6)
  return text.slice(start, end)
}

function firstIndexOf(text: string, written: readonly string[] | undefined): number {
  return (written ?? []).reduce((found, form) => (found >= 0 ? found : text.indexOf(form)), -1)
}
