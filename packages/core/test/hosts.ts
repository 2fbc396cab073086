import { type TestHost, type TestHostOptions, testHost } from "@latchkey/testkit"
import { afterEach, expect } from "vitest"

const opened: TestHost[] = []

/** A host whose log and answers are searched for secrets when the test is done. */
export function openHost(options: TestHostOptions = {}): TestHost {
  const host = testHost(options)
  opened.push(host)
  return host
}

/** What holds after every test, whatever it was about (an unhandled rejection fails the run by itself). */
afterEach(() => {
  const leaks = opened.splice(0).flatMap((host) => host.leaks())
  expect(leaks).toEqual([])
  expect(Reflect.get({}, "polluted")).toBeUndefined()
})
