import { memoryTokenStore, testTokenStore } from "./token-store.js"

testTokenStore("memoryTokenStore", memoryTokenStore)
