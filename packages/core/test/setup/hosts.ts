import { type TestHost, type TestHostOptions, testHost } from "@latchkey/testkit"

/** A test host. After each test, its log and responses are searched for secrets. */
export function openHost(options: TestHostOptions = {}): TestHost {
  return testHost(options)
}
