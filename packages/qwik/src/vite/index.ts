// Imported as `@latchkey/qwik/vite`.
export { type LatchkeyPlugin, latchkey } from "./latchkey.js"
