// Imported as `@latchkey/testkit/adapter`.
export type { AdapterCase, AdapterMethod } from "./adapter-case.js"
export { testLookAlikes } from "./look-alikes.js"
export { type AdapterCall, type MemoryAdapter, memoryAdapter } from "./memory-adapter.js"
export { type AdapterSuite, type AdapterUnderTest, adapterCases, featureMethods, testAdapter } from "./test-adapter.js"
export { testFeatures } from "./test-features.js"
export { type MemoryTokenStore, memoryTokenStore, testTokenStore } from "./token-store.js"
