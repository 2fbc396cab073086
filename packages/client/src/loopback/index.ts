// Imported as `@latchkey/client/loopback`, by native apps on Node: the main process of Electron, and command lines.
export { type LoopbackBrowser, type LoopbackOptions, openLoopback } from "./listener.js"
