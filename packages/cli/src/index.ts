// Imported as `latchkey`, for the type of a `latchkey.config` file.
export type { LatchkeyConfig } from "./config.js"
