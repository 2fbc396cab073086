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

/** The functions of `@simplewebauthn/server` that are used. */
export type WebAuthnLibrary = Ceremonies & Decoders

/**
 * Bundlers need literal names in `import()`. The `try`, and an `await` for each import, let Next and esbuild build apps
 * that have not installed the package.
 */
async function importLibrary(): Promise<WebAuthnLibrary> {
  try {
    const ceremonies = await import("@simplewebauthn/server")
    const decoders = await import("@simplewebauthn/server/helpers")
    return assertComplete({ ...ceremonies, ...decoders })
  } catch (error) {
    throw toError(error)
  }
}

const functions = [
  "generateAuthenticationOptions",
  "generateRegistrationOptions",
  "verifyAuthenticationResponse",
  "verifyRegistrationResponse",
  "decodeAttestationObject",
  "decodeCredentialPublicKey",
] as const satisfies readonly (keyof WebAuthnLibrary)[]

function assertComplete(library: WebAuthnLibrary): WebAuthnLibrary {
  const missing = functions.find((name) => typeof library[name] !== "function")
  if (missing === undefined) return library
  throw new TypeError(`The installed version of @simplewebauthn/server has no ${missing}. Versions 9 to 14 do`)
}

/**
 * Imports the library that creates options and verifies responses, with the first request that needs it.
 * @param load Replaces the import in tests.
 * @throws InvalidConfiguration when the package is not installed, or in a version without the functions
 */
export async function loadLibrary(load: () => Promise<WebAuthnLibrary> = importLibrary): Promise<WebAuthnLibrary> {
  try {
    return await load()
  } catch (error) {
    const advice = "requires the package @simplewebauthn/server. Install it: npm install @simplewebauthn/server@14"
    throw new InvalidConfiguration(`providers: a provider of type webauthn ${advice}`, toError(error))
  }
}
