import { vi } from "vitest"

// Vitest loads this file before each test file. It waits for a second by default, which a busy machine exceeds.
// `expect.poll` has its limit in the configuration.

const patienceMs = 15_000

const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options = patienceMs) => waitFor(callback, options)
vi.waitUntil = (callback, options = patienceMs) => waitUntil(callback, options)

// A busy machine may also stop a process for longer than a request waits for a provider or for the app's own code. Tests of such
// deadlines use fake timers, which take the place of this one.
const { setTimeout: wait } = globalThis
const isPatient = Symbol.for("latchkey.test.patience")
if (!(isPatient in wait)) {
  const waitLonger = (callback: () => void, ms?: number, ...args: []) =>
    wait(callback, ms !== undefined && ms >= 5000 ? ms * 10 : ms, ...args)
  globalThis.setTimeout = Object.assign(waitLonger, wait, { [isPatient]: true })
}
