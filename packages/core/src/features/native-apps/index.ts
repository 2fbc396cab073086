// Imported as `@latchkey/core/native-apps`: sign-in for native apps, and session tokens in a header.
export type { NativeClient } from "./clients.js"
export { type NativeAppsOptions, nativeApps } from "./native-apps.js"
