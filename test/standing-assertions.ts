import { afterAll, afterEach, beforeEach, expect } from "vitest"
import { type SearchableHost, watchHosts } from "../packages/testkit/src/host/host-leaks.js"

// What holds after every test of every package, whatever the test was about. Vitest runs this file before each test
// file.

const prototypes = { Object, Array, Function, String, Promise, Map, Error }
const namesOfPrototypes = () =>
  Object.entries(prototypes).map(([name, { prototype }]) => [name, Object.getOwnPropertyNames(prototype).sort()])
const untouched = namesOfPrototypes()

/** Hosts that were opened during a test, and those that several tests share. */
const hosts: { ofTest: SearchableHost[]; ofFile: SearchableHost[]; isInTest: boolean } = {
  ofTest: [],
  ofFile: [],
  isInTest: false,
}
watchHosts((host) => (hosts.isInTest ? hosts.ofTest : hosts.ofFile).push(host))

const rejections: unknown[] = []
process.on("unhandledRejection", (reason) => rejections.push(reason))

/** Secrets in the log or in an answer: cases KEY-06 and LOG-02, for the whole run. */
function findLeaks(opened: SearchableHost[]): readonly unknown[] {
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

afterAll(() => {
  const names = namesOfPrototypes()
  expect({ leaks: findLeaks(hosts.ofFile), rejections: rejections.splice(0), names }).toEqual({
    leaks: [],
    rejections: [],
    names: untouched,
  })
})
