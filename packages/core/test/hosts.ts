import { type TestHost, type TestHostOptions, testHost } from "@latchkey/testkit"

/** A host. Its log and its answers are searched for secrets when the test is done, as those of all hosts are. */
export function openHost(options: TestHostOptions = {}): TestHost {
  return testHost(options)
}
