import { afterAll, afterEach, beforeEach, expect } from "vitest"
import { hosts } from "./opened-hosts.js"

// Assertions that hold after every test of every package. Vitest loads this file before each test file.

const prototypes = { Object, Array, Function, String, Promise, Map, Error }
const namesOfPrototypes = () =>
  Object.entries(prototypes).map(([name, { prototype }]) => [name, Object.getOwnPropertyNames(prototype).sort()])
const untouched = namesOfPrototypes()

const rejections: unknown[] = []
const recordRejection = (reason: unknown) => rejections.push(reason)
process.on("unhandledRejection", recordRejection)

/** Secrets in the log or in a response: cases KEY-06 and LOG-02, for the whole run. */
function findLeaks(opened: typeof hosts.ofTest): readonly unknown[] {
  return opened.splice(0).flatMap((host) => host.leaks())
}

beforeEach(() => {
  hosts.isInTest = true
})

afterEach(() => {
  hosts.isInTest = false
  const polluted: unknown = Reflect.get({}, "polluted")
  expect({ leaks: findLeaks(hosts.ofTest), rejections: rejections.splice(0), polluted }).toEqual({
    leaks: [],
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
  expect({ leaks: findLeaks(hosts.ofFile), rejections: rejections.splice(0), names }).toEqual({
    leaks: [],
    rejections: [],
    names: untouched,
  })
})
