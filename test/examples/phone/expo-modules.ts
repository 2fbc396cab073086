import { createHash, randomFillSync } from "node:crypto"

/** The browser of the system. */
export interface SystemBrowser {
  /** @returns the app link that the browser came back by; null if the user closed it */
  open(url: string): Promise<string | null>
}

export interface ExpoOptions {
  readonly platform: "android" | "ios"
  readonly browser: SystemBrowser
  /** The keychain, which outlives the app. */
  readonly keychain: Map<string, string>
  /** Android's events of the app: it goes to the background, and an app link brings it back. */
  readonly onAway: () => void
  readonly onBack: (link: string | null) => void
}

/** The native side of `expo-modules-core` and of the Expo modules that the app uses. */
export function createExpo(options: ExpoOptions): object {
  const modules = {
    ExpoFetchModule: { NativeRequest, NativeResponse },
    ExpoCrypto: {
      getRandomValues: (bytes: Uint8Array) => randomFillSync(bytes),
      digest: (algorithm: string, output: Uint8Array, data: Uint8Array) =>
        output.set(createHash(algorithm.replace("-", "").toLowerCase()).update(data).digest()),
    },
    ExpoSecureStore: createSecureStore(options.keychain),
    ExpoWebBrowser: createWebBrowser(options),
    // Loaded at the start, and not used by the app.
    ExpoAsset: {},
    ExpoCryptoAES: { EncryptionKey: SharedObject, SealedData: SharedObject },
    ExpoFontLoader: { getLoadedFonts: () => [] },
    ExponentConstants: { manifest: {}, executionEnvironment: "bare" },
  }
  return { EventEmitter: Emitter, SharedObject, SharedRef: SharedObject, NativeModule: Emitter, modules }
}

function createSecureStore(keychain: Map<string, string>): object {
  return {
    getValueWithKeyAsync: async (key: string) => keychain.get(key) ?? null,
    setValueWithKeyAsync: async (value: string, key: string) => void keychain.set(key, value),
    deleteValueWithKeyAsync: async (key: string) => void keychain.delete(key),
  }
}

/** Android only opens the browser, and the app waits for the link. iOS waits for it itself (ASWebAuthenticationSession). */
function createWebBrowser({ platform, browser, onAway, onBack }: ExpoOptions): object {
  if (platform === "ios") {
    return {
      async openAuthSessionAsync(url: string) {
        const link = await browser.open(url)
        return link === null ? { type: "cancel" } : { type: "success", url: link }
      },
    }
  }
  return {
    async openBrowserAsync(url: string) {
      onAway()
      browser.open(url).then(onBack)
      return { type: "opened" }
    },
  }
}

type Listener = (...values: readonly unknown[]) => void

class Emitter {
  readonly #listeners = new Map<string, Set<Listener>>()

  addListener(name: string, listener: Listener): { remove(): void } {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return { remove: () => this.removeListener(name, listener) }
  }

  removeListener(name: string, listener: Listener): void {
    this.#listeners.get(name)?.delete(listener)
  }

  removeAllListeners(name: string): void {
    this.#listeners.delete(name)
  }
}

class SharedObject extends Emitter {
  release(): void {}
}

/** The native side of a response, which `expo/fetch` extends. */
class NativeResponse extends SharedObject {
  /** Undefined until the headers have arrived. */
  received?: Response

  get status(): number {
    return this.received?.status ?? 0
  }

  get url(): string {
    return this.received?.url ?? ""
  }

  get _rawHeaders(): readonly (readonly [string, string])[] {
    return [...(this.received?.headers ?? [])]
  }

  async text(): Promise<string> {
    return (await this.received?.text()) ?? ""
  }
}

class NativeRequest extends SharedObject {
  readonly #response: NativeResponse

  constructor(response: NativeResponse) {
    super()
    this.#response = response
  }

  /** @throws Error if the server cannot be reached */
  async start(url: string, init: RequestInit, body: Uint8Array<ArrayBuffer> | null): Promise<NativeResponse> {
    this.#response.received = await fetch(url, { ...init, body })
    return this.#response
  }

  cancel(): void {}
}
