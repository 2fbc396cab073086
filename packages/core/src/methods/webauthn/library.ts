import { toError } from "../../errors/auth-error.js"
import { InvalidConfiguration } from "../../errors/errors.js"

type Ceremonies = Pick<
  typeof import("@simplewebauthn/server"),
  | "generateAuthenticationOptions"
  | "generateRegistrationOptions"
  | "verifyAuthenticationResponse"
  | "verifyRegistrationResponse"
>
type Decoders = Pick<
  typeof import("@simplewebauthn/server/helpers"),
  "decodeAttestationObject" | "decodeCredentialPublicKey"
>

/** What is used of `@simplewebauthn/server`. */
export type WebAuthnLibrary = Ceremonies & Decoders

/**
 * A bundler needs the names to stand in the import itself. Around it stands a `try`, and each is awaited by itself, so
 * that those of Next, and esbuild, build an app that has not installed the package.
 */
async function importLibrary(): Promise<WebAuthnLibrary> {
  try {
    const ceremonies = await import("@simplewebauthn/server")
    const decoders = await import("@simplewebauthn/server/helpers")
    return { ...ceremonies, ...decoders }
  } catch (error) {
    throw toError(error)
  }
}

/**
 * The library that verifies what devices answer. Loaded when the first passkey is asked for.
 * @param load Another way to get at it, for tests.
 * @throws InvalidConfiguration when the package is not installed
 */
export async function loadLibrary(load: () => Promise<WebAuthnLibrary> = importLibrary): Promise<WebAuthnLibrary> {
  try {
    return await load()
  } catch (error) {
    const advice = "needs the package @simplewebauthn/server. Install it: npm install @simplewebauthn/server@14"
    throw new InvalidConfiguration(`providers: a provider of type webauthn ${advice}`, toError(error))
  }
}
