import type { Canary } from "@latchkey/testkit"

/** Values that visitors sent, as canaries. */
export interface SentValues {
  note(request: Request): Promise<void>
  add(name: string, value: string): void
  readonly all: readonly Canary[]
}

/** Shorter values occur by chance. */
const minLength = 6

/** Addresses of the app, words of the protocol and of forms, ids of the configuration, and references of the log. */
const plain =
  /^(?:https?:\/\/(?:localhost:3000|idp\.test)\S*|https?%3A\S*|%2F\S*|\/\S*|[A-Za-z][A-Za-z_.:/+-]*|S256|u-ada|[0-9A-Z]{4}-[0-9A-Z]{2}\S*)$/

/** Creates an empty list. */
export function sentValues(): SentValues {
  const found = new Map<string, string>()

  function add(name: string, value: string): void {
    // Ids of rows: what they stand for is useless without a token or a session.
    if (/^(?:query|field) (?:change|id|flow)$/.test(name)) return
    if (value.length >= minLength && !plain.test(value)) found.set(value, name)
  }

  return {
    add,
    get all() {
      return [...found].map(([value, name]) => ({ name, value }))
    },
    async note(request) {
      const { searchParams } = new URL(request.url)
      for (const [name, value] of searchParams) add(`query ${name}`, value)
      for (const pair of (request.headers.get("cookie") ?? "").split("; ")) {
        const [name = "", value = ""] = pair.split(/=(.*)/s)
        for (const part of [value, ...decode(value).split("|")]) add(`cookie ${name}`, part)
      }
      add("bearer token", (request.headers.get("authorization") ?? "").replace(/^Bearer /, ""))
      add("user agent", request.headers.get("user-agent") ?? "")
      if (request.method === "POST") for (const [name, value] of await readBody(request.clone())) add(name, value)
    },
  }
}

type Field = readonly [name: string, value: string]

async function readBody(request: Request): Promise<readonly Field[]> {
  const type = request.headers.get("content-type") ?? ""
  const text = await request.text()
  if (type.startsWith("multipart/"))
    return [...text.matchAll(/(?:file)?name="([^"]+)"/g)].map(([, name = ""]) => ["file", name])
  if (type.includes("json")) return listMembers("json", parse(text))
  return [...new URLSearchParams(text)].flatMap(([name, value]) => [
    [`field ${name}`, value] as const,
    // The answer of a passkey.
    ...(value.startsWith("{") ? listMembers(name, parse(value)) : []),
  ])
}

function listMembers(name: string, value: unknown): readonly Field[] {
  if (typeof value === "string") return [[name, value]]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => listMembers(`${name}.${key}`, member))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
