import { afterAll, afterEach, beforeEach, expect } from "vitest"
import { contractCookies, ownCookies } from "../../packages/core/src/http/own-cookies.js"
import { hosts } from "./opened-hosts.js"

// Assertions that hold after every test of every package. Vitest loads this file before each test file.

const prototypes = { Object, Array, Function, String, Promise, Map, Error }
const namesOfPrototypes = () =>
  Object.entries(prototypes).map(([name, { prototype }]) => [name, Object.getOwnPropertyNames(prototype).sort()])
const untouched = namesOfPrototypes()

const rejections: unknown[] = []
const recordRejection = (reason: unknown) => rejections.push(reason)
process.on("unhandledRejection", recordRejection)

/** What no test may leave behind. */
interface Faults {
  /** Secrets in the log or in a response: cases KEY-06 and LOG-02, for the whole run. */
  readonly leaks: readonly unknown[]
  /** Cookies that the table of the core does not have, so that no budget counts them. */
  readonly cookies: readonly string[]
  /** Forms that a page answers, which a reload would send again: each leads to a page with an address of its own. */
  readonly pages: readonly string[]
}

function findFaults(opened: typeof hosts.ofTest): Faults {
  const all = opened.splice(0)
  const answers = all.flatMap((host) => host.answers)
  const set = answers.flatMap(({ cookies }) => cookies.filter((text) => !text.includes("Max-Age=0")))
  const names = new Set(set.map((text) => text.slice(0, text.indexOf("="))))
  const pages = answers.filter(isPageOfForm).map(({ url, status }) => `${status} ${url}`)
  return { leaks: all.flatMap((host) => host.leaks()), cookies: [...names].filter(isUnknown), pages }
}

/**
 * Except refusals, which change nothing and are the same again: they have no form, or, with 403, one whose token was lost
 * (docs/decisions/reloads.md).
 */
function isPageOfForm({
  method,
  url,
  status,
  headers,
  body,
}: (typeof hosts.ofTest)[number]["answers"][number]): boolean {
  const isOurs = method === "POST" && new URL(url).pathname.startsWith("/auth/")
  if (!isOurs || !headers["content-type"]?.startsWith("text/html")) return false
  // No page of ours sends a form to a link that only shows its code, and it is not used up.
  if (status === 200 && body.includes('class="one-time-code"')) return false
  return status < 400 || (status !== 403 && body.includes("<form"))
}

function isUnknown(name: string): boolean {
  const [, own] = /^(?:__(?:Host|Secure)-)?(authjs\..+)/.exec(name) ?? []
  return own !== undefined && !listKnown().some((each) => own === each || own.startsWith(`${each}.`))
}

/** A test may add a cookie to the table. */
const listKnown = () => [...Object.values(contractCookies), ...Object.values(ownCookies)].map(({ name }) => name)
const noFaults = { leaks: [], cookies: [], pages: [] }

beforeEach(() => {
  hosts.isInTest = true
})

afterEach(() => {
  hosts.isInTest = false
  const polluted: unknown = Reflect.get({}, "polluted")
  expect({ ...findFaults(hosts.ofTest), rejections: rejections.splice(0), polluted }).toEqual({
    ...noFaults,
    rejections: [],
    polluted: undefined,
  })
})

afterAll(async () => {
  // Node reports a rejection once the microtasks are done, which may be after the last test.
  await new Promise((resolve) => setImmediate(resolve))
  // Another file may follow in the same process.
  process.off("unhandledRejection", recordRejection)
  const names = namesOfPrototypes()
  expect({ ...findFaults(hosts.ofFile), rejections: rejections.splice(0), names }).toEqual({
    ...noFaults,
    rejections: [],
    names: untouched,
  })
})
