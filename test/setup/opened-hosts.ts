import { type SearchableHost, watchHosts } from "../../packages/testkit/src/host/host-leaks.js"

// A module of its own, because standing-assertions.ts runs for each test file, and files in one process share a subscription.

/** Hosts opened during the current test, and hosts that the tests of a file share. */
export const hosts: { readonly ofTest: SearchableHost[]; readonly ofFile: SearchableHost[]; isInTest: boolean } = {
  ofTest: [],
  ofFile: [],
  isInTest: false,
}

watchHosts((host) => (hosts.isInTest ? hosts.ofTest : hosts.ofFile).push(host))
