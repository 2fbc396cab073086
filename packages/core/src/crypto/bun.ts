import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { Primitives } from "./backend.js"
import { createNodePrimitives } from "./node-crypto.js"
import { primitives as web } from "./web.js"

/**
 * Bun takes 5 ms to load `node:crypto`, and a session check without it takes 40 microseconds longer. A process pays for
 * loading only when it has lived long enough to save as much.
 * @internal Exported for its tests.
 */
export const usesBeforeLoading = 100

/** Web Crypto at first, and `node:crypto` once a process has used its keys often enough. */
export const primitives: Primitives = createPrimitives(async () =>
  // A static import, in whichever file, would load it at the start of an app that `bun build` makes one file of.
  createNodePrimitives(process.getBuiltinModule("node:crypto")),
)

interface Platform {
  current(): Primitives
  /**
   * Creates a tool with a key, such as a cipher. Callers keep it for long, so a tool of Web Crypto is created again once
   * `node:crypto` has been loaded.
   */
  create<Tool>(make: (from: Primitives) => Awaitable<Tool>): Awaitable<() => Awaitable<Tool>>
}

function createPlatform(load: () => Promise<Primitives>): Platform {
  let platform = web
  let uses = 0

  function countUse(): void {
    uses++
    if (uses !== usesBeforeLoading) return
    const replace = (loaded: Primitives): void => {
      platform = loaded
    }
    // Web Crypto computes the same, so that nothing is lost if loading fails.
    load().then(replace, () => {})
  }

  function create<Tool>(make: (from: Primitives) => Awaitable<Tool>): Awaitable<() => Awaitable<Tool>> {
    let maker = platform
    return andThen(make(maker), (first) => {
      let tool: Awaitable<Tool> = first
      return () => {
        countUse()
        if (maker === platform) return tool
        maker = platform
        tool = make(maker)
        return tool
      }
    })
  }

  return { current: () => platform, create }
}

/** @internal Exported for its tests. */
export function createPrimitives(load: () => Promise<Primitives>): Primitives {
  const { current, create } = createPlatform(load)
  return {
    deriveKey: (derivation) => current().deriveKey(derivation),
    createCbcHmacCipher: (key) =>
      andThen(
        create((from) => from.createCbcHmacCipher(key)),
        (cipher) => ({
          seal: (plaintext, header) => andThen(cipher(), (own) => own.seal(plaintext, header)),
          open: (parts, header) => andThen(cipher(), (own) => own.open(parts, header)),
        }),
      ),
    createGcmOpener: (key) =>
      andThen(
        create((from) => from.createGcmOpener(key)),
        (opener) => ({ open: (parts, header) => andThen(opener(), (own) => own.open(parts, header)) }),
      ),
    createMac: (key) =>
      andThen(
        create((from) => from.createMac(key)),
        (mac) => (text) => andThen(mac(), (own) => own(text)),
      ),
    createVerifier: (jwk, algorithm) =>
      andThen(
        create((from) => from.createVerifier(jwk, algorithm)),
        (verifier) => (text, signature) => andThen(verifier(), (own) => own(text, signature)),
      ),
    sha256: (text) => current().sha256(text),
    sha512: (text) => current().sha512(text),
    randomBytes: (length) => current().randomBytes(length),
    randomUUID: () => current().randomUUID(),
    isEqual: (a, b) => current().isEqual(a, b),
    toBase64url: (bytes) => current().toBase64url(bytes),
    fromBase64url: (text) => current().fromBase64url(text),
    toHex: (bytes) => current().toHex(bytes),
  }
}
