import { type SearchableHost, watchHosts } from "../packages/testkit/src/host/watch-hosts.js"

// Apart from standing-assertions.ts, which runs again for each test file: files of one process share this subscription.

/** Hosts opened during the current test, and hosts that the tests of a file share. */
export const hosts: { readonly ofTest: SearchableHost[]; readonly ofFile: SearchableHost[]; isInTest: boolean } = {
  ofTest: [],
  ofFile: [],
  isInTest: false,
}

watchHosts((host) => (hosts.isInTest ? hosts.ofTest : hosts.ofFile).push(host))
