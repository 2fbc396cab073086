// Imported as `@latchkey/testkit/adapter`.
export type { AdapterCase, AdapterMethod } from "./adapter-case.js"
export { adapterCases } from "./adapter-cases.js"
export { type AdapterCall, type MemoryAdapter, memoryAdapter } from "./memory-adapter.js"
export { type AdapterSuite, type AdapterUnderTest, testAdapter } from "./test-adapter.js"
