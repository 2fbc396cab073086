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
