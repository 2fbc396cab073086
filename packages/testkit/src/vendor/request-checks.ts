import type { Expected } from "./vendor-rules.js"

/** Values of a sign-in, by the names of their placeholders. */
export type FlowValues = Readonly<Record<string, string>>

/** Replaces placeholders such as `{code}` with their values. */
export function fill(expected: string, values: FlowValues): string {
  return expected.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

/** Compares all parameters: each expected one must occur once, others must be absent. */
export function compareParameters(found: URLSearchParams, expected: Expected, values: FlowValues): readonly string[] {
  const unknown = [...new Set(found.keys())].filter((name) => !(name in expected))
  return [
    ...unknown.map((name) => `"${name}" is unexpected`),
    ...Object.entries(expected).flatMap(([name, value]) =>
      compareValue(name, found.getAll(name), toTest(value, values)),
    ),
  ]
}

/** Compares the expected headers; others are ignored. */
export function compareHeaders(found: Headers, expected: Expected, values: FlowValues): readonly string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const given = found.get(name)
    return compareValue(name, given === null ? [] : [given], toTest(value, values))
  })
}

interface Test {
  readonly shown: string
  readonly passes: (value: string) => boolean
}

function toTest(expected: string | RegExp, values: FlowValues): Test {
  if (typeof expected !== "string") return { shown: String(expected), passes: (value) => expected.test(value) }
  const wanted = fill(expected, values)
  return { shown: expected, passes: (value) => value === wanted }
}

function compareValue(name: string, given: readonly string[], { shown, passes }: Test): readonly string[] {
  const [value] = given
  if (value === undefined) return [`"${name}" is missing, expected ${shown}`]
  if (given.length > 1) return [`"${name}" occurs twice`]
  return passes(value) ? [] : [`"${name}" is ${value}, expected ${shown}`]
}

/** A request that breaks the vendor's rules. */
export class Complaint extends Error {}

/** @throws Complaint if there is anything to complain about */
export function complain(about: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new Complaint(`${about}: ${faults.join("; ")}`)
}

/** Reads the parameters of a request. @throws Complaint if they have another encoding */
export async function readFields(request: Request, encoding: "form" | "json" | "query"): Promise<URLSearchParams> {
  const { searchParams } = new URL(request.url)
  const body = await request.text()
  if (encoding === "query") {
    complain("request", body === "" ? [] : ["the body is unexpected"])
    return searchParams
  }
  const type = request.headers.get("content-type") ?? "no content type"
  const wanted = encoding === "json" ? "application/json" : "application/x-www-form-urlencoded"
  complain("request", type.startsWith(wanted) ? [] : [`the body is ${type}, expected ${wanted}`])
  return encoding === "form" ? new URLSearchParams(body) : new URLSearchParams(parseMembers(body))
}

function parseMembers(body: string): Record<string, string> {
  const members: unknown = JSON.parse(body)
  if (typeof members !== "object" || members === null) throw new TypeError("The body is not a JSON object")
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  )
}

/** Removes a trailing slash. */
export function urlWithoutSlash(url: string): string {
  return url.replace(/\/$/, "")
}

/** A URL without query and fragment. */
export function originAndPath(address: string | URL): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
