import { InvalidRequest } from "../../../src/errors/errors.js"
import type { Fields } from "../../../src/http/body.js"
import { assertShallow, readBody } from "../../../src/http/body.js"
import { type FuzzTarget, fromText, promise, toText } from "../engine/target.js"

const textFields = ["callbackUrl", "csrfToken"]
const maxDepth = 32

async function readAs(type: string, input: Uint8Array): Promise<Fields | undefined> {
  const headers = { "content-type": type }
  const request = new Request("https://app.test/auth/signin", { method: "POST", headers, body: input.slice() })
  try {
    return await readBody(request)
  } catch (error) {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
}

function assertFields(fields: Fields | undefined): void {
  if (!fields) return
  promise(Object.getPrototypeOf(fields) === null, "fields inherit nothing")
  promise(!Object.hasOwn(fields, "__proto__"), "no field is named __proto__")
  for (const name of textFields) {
    promise(!(name in fields) || typeof fields[name] === "string", `${name} is text`)
  }
}

/** A form body. */
export const forms: FuzzTarget = {
  name: "forms",
  seeds: () =>
    [
      "csrfToken=abc&callbackUrl=%2Fin&u=v&p=r+i",
      "a=1&a=2&a[]=3&__proto__[x]=1&constructor.prototype.x=1",
      "code=a&state=b",
    ].map(fromText),
  dictionary: [
    "&",
    "=",
    "%",
    "+",
    "csrfToken=",
    "callbackUrl=",
    "__proto__",
    "code=a&code=b",
    "%00",
    "%C3%28",
    "[",
    "]",
    ";",
  ],
  work: { perByte: 60, perInput: 5_000 },
  async check(input) {
    const fields = await readAs("application/x-www-form-urlencoded", input)
    assertFields(fields)
    if (!fields) return
    const form = new URLSearchParams(toText(input))
    for (const [name, value] of Object.entries(fields))
      promise(form.getAll(name).at(-1) === value, "the last value of a name wins")
  },
}

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth - 1)}[]${"}".repeat(depth - 1)}`
}

/** A JSON body. */
export const jsonBodies: FuzzTarget = {
  name: "json-bodies",
  seeds: () =>
    [
      '{"csrfToken":"abc","data":{"role":"admin","deep":[[{"a":null}]]}}',
      '{"__proto__":{"polluted":true},"u":"v","callbackUrl":["x"]}',
      '{"a":"\\ud800 \\" [[[","b":1e309}',
      nested(maxDepth),
      nested(maxDepth + 1),
    ].map(fromText),
  dictionary: [
    '{"',
    '":',
    "[",
    "]",
    "[[[[[[[[",
    "{}",
    '\\"',
    "\\\\",
    "\\ud800",
    '"__proto__":',
    '"csrfToken":',
    "null",
    "\ufeff",
  ],
  work: { perByte: 60, perInput: 5_000 },
  async check(input) {
    assertFields(await readAs("application/json", input))
    const text = toText(input)
    const depth = depthOf(text)
    if (depth !== null) promise(isShallow(text) === depth <= maxDepth, "the depth check agrees with the parser")
  },
}

function isShallow(text: string): boolean {
  try {
    assertShallow(text)
    return true
  } catch (error) {
    if (error instanceof InvalidRequest) return false
    throw error
  }
}

/** The depth of the parsed value; null if the text is not JSON. */
function depthOf(text: string): number | null {
  try {
    return levels(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function levels(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  return 1 + Object.values(value).reduce<number>((most, member) => Math.max(most, levels(member)), 0)
}
