import fc from "fast-check"

// Vitest loads this file before each test file. Properties try the same values in every run, so that a failure is caused by a
// change. `npm run test:properties` sets other values, and `npm run fuzz` a random seed.

const { LATCHKEY_PROPERTY_SEED: seed = "1", LATCHKEY_PROPERTY_RUNS: runs = "100" } = process.env

fc.configureGlobal({ seed: Number(seed), numRuns: Number(runs) })
