// Imported as `@latchkey/client/native`: the sign-in of apps for phones and desktops.
export type { Session } from "@latchkey/types"
export {
  createNativeClient,
  type NativeBrowser,
  type NativeClient,
  type NativeClientOptions,
  type NativeCrypto,
  NativeSignInError,
  type NativeSignInErrorCode,
  type TokenStorage,
} from "./native-client.js"
