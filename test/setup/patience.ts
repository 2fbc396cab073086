import { vi } from "vitest"

// Vitest loads this file before each test file. It waits for a second by default, which a busy machine exceeds.
// `expect.poll` has its limit in the configuration.

const patienceMs = 15_000

const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options = patienceMs) => waitFor(callback, options)
vi.waitUntil = (callback, options = patienceMs) => waitUntil(callback, options)
