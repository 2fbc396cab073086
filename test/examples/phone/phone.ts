import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createContext, Script } from "node:vm"
import { createExpo, type SystemBrowser } from "./expo-modules.js"
import { createScreen, type Screen } from "./screen.js"

export interface PhoneOptions {
  readonly platform: "android" | "ios"
  /** The folder with the bundle that Metro made. */
  readonly folder: string
  readonly browser: SystemBrowser
}

/** A phone with the app. The native side of React Native is ours; all that Metro bundled runs as it is. */
export interface Phone {
  readonly screen: Screen
  readonly keychain: ReadonlyMap<string, string>
  /** The errors that the app reported. */
  readonly problems: readonly string[]
  /** Ends the process of the app and starts it again. */
  restart(): void
}

export function openPhone(options: PhoneOptions): Phone {
  const file = globSync(`_expo/static/js/${options.platform}/*.js`, { cwd: options.folder })[0]
  if (!file) throw new Error(`Metro made no bundle for ${options.platform}`)
  const app = new Script(readFileSync(join(options.folder, file), "utf8"), { filename: file })
  const keychain = new Map<string, string>()
  const problems: string[] = []
  const start = (): Screen => startApp(app, { ...options, keychain, problems })
  let screen = start()
  return {
    get screen() {
      return screen
    },
    keychain,
    problems,
    restart: () => {
      screen = start()
    },
  }
}

interface Start extends PhoneOptions {
  readonly keychain: Map<string, string>
  readonly problems: string[]
}

interface DeviceEvents {
  emit(name: string, event: object): void
}

interface AppRegistry {
  runApplication(name: string, options: object): void
}

function startApp(app: Script, { platform, browser, keychain, problems }: Start): Screen {
  const { screen, fabric } = createScreen()
  const callable = new Map<string, () => unknown>()
  const emit = (name: string, event: object): void => {
    const events = callable.get("RCTDeviceEventEmitter")?.() as DeviceEvents | undefined
    events?.emit(name, event)
  }
  const expo = createExpo({
    platform,
    browser,
    keychain,
    onAway: () => emit("appStateDidChange", { app_state: "background" }),
    onBack: (link) => {
      if (link !== null) emit("url", { url: link })
      emit("appStateDidChange", { app_state: "active" })
    },
  })
  const turboModules = createTurboModules(problems)
  const globals: Record<string, unknown> = {
    ...ofHermes,
    RN$Bridgeless: true,
    RN$registerCallableModule: (name: string, get: () => unknown) => callable.set(name, get),
    nativeModuleProxy: {},
    __turboModuleProxy: (name: string) => turboModules[name] ?? null,
    nativeFabricUIManager: fabric,
    expo,
  }
  globals["global"] = globals
  const context = createContext(globals)
  textEncoder.runInContext(context)
  app.runInContext(context)
  const registry = globals["RN$AppRegistry"] as AppRegistry
  registry.runApplication("main", { rootTag: 1, initialProps: {}, fabric: true })
  return screen
}

/** What Hermes and its timers have, besides JavaScript. It has no `crypto`, no `btoa` and no `URL`. */
const ofHermes = {
  console: { ...console, log: () => {} },
  queueMicrotask,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
  encodeUtf8: (text: string) => new TextEncoder().encode(text),
}

/** Its arrays have to be those of the context. */
const textEncoder = new Script(`
  globalThis.TextEncoder = class TextEncoder {
    encode(text = "") {
      return new Uint8Array(encodeUtf8(text))
    }
  }
`)

/** The modules of React Native without which the app does not start. Views are laid out by no one. */
function createTurboModules(problems: string[]): Readonly<Record<string, object>> {
  const display = { width: 390, height: 844, scale: 2, fontScale: 1 }
  const withEvents = { addListener: () => {}, removeListeners: () => {} }
  const ofConstants = (constants: object) => ({ getConstants: () => constants })
  return {
    AppState: {
      ...withEvents,
      ...ofConstants({ initialAppState: "active" }),
      getCurrentAppState: (tell: (state: object) => void) => tell({ app_state: "active" }),
    },
    DeviceInfo: ofConstants({ Dimensions: { window: display, screen: display } }),
    ExceptionsManager: { reportException: ({ message }: { message: string }) => problems.push(message) },
    IntentAndroid: withEvents,
    LinkingManager: withEvents,
    NativeDOMCxx: { linkRootNode: () => ({}) },
    NativeMicrotasksCxx: { queueMicrotask },
    NativeReactNativeFeatureFlagsCxx: {
      enableIntersectionObserverByDefault: () => false,
      enableMutationObserverByDefault: () => false,
      enableNativeCSSParsing: () => false,
    },
    PlatformConstants: ofConstants({ isTesting: false, reactNativeVersion: { major: 0, minor: 86, patch: 3 } }),
    SourceCode: ofConstants({ scriptURL: "file:///main.js" }),
  }
}
