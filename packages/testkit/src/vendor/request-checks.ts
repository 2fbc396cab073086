import type { Expected } from "./vendor-rules.js"

/** What the flow brought so far, by the names that expectations use. */
export type FlowValues = Readonly<Record<string, string>>

/** An expectation with the flow's values in it. */
export function fill(expected: string, values: FlowValues): string {
  return expected.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

/** What is wrong with parameters of which each must be there once, and no other. */
export function compareParameters(found: URLSearchParams, expected: Expected, values: FlowValues): readonly string[] {
  const unknown = [...new Set(found.keys())].filter((name) => !(name in expected))
  return [
    ...unknown.map((name) => `"${name}" does not belong there`),
    ...Object.entries(expected).flatMap(([name, value]) =>
      compareValue(name, found.getAll(name), toTest(value, values)),
    ),
  ]
}

/** What is wrong with headers of which some must be there. */
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
  if (value === undefined) return [`"${name}" is missing, which should be ${shown}`]
  if (given.length > 1) return [`"${name}" comes twice`]
  return passes(value) ? [] : [`"${name}" is not ${shown} but ${value}`]
}

/** A request that is not as the vendor wants it. */
export class Complaint extends Error {}

export function complain(about: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new Complaint(`${about}: ${faults.join("; ")}`)
}

/** The parameters of a request in one encoding; it must have them in no other. */
export async function readFields(request: Request, encoding: "form" | "json" | "query"): Promise<URLSearchParams> {
  const { searchParams } = new URL(request.url)
  const body = await request.text()
  if (encoding === "query") {
    complain("request", body === "" ? [] : ["there is a body"])
    return searchParams
  }
  const type = request.headers.get("content-type") ?? "no content type"
  const wanted = encoding === "json" ? "application/json" : "application/x-www-form-urlencoded"
  complain("request", type.startsWith(wanted) ? [] : [`the body is ${type}, not ${wanted}`])
  return encoding === "form" ? new URLSearchParams(body) : new URLSearchParams(parseTexts(body))
}

function parseTexts(body: string): Record<string, string> {
  const members: unknown = JSON.parse(body)
  if (typeof members !== "object" || members === null) throw new TypeError("The body is no JSON object")
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  )
}

export function urlWithoutSlash(url: string): string {
  return url.replace(/\/$/, "")
}

/** An address as it is compared: without query and fragment. */
export function placeOf(address: string | URL): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
