import { Auth } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import type { AuthConfig, AuthContext, Provider } from "@latchkey/core/types"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { type Browser, createBrowser } from "../browser/browser.js"
import type { Handler, Network } from "../browser/navigation.js"
import { type FakeIdentityProvider, fakeIdentityProvider } from "../identity-provider/identity-provider.js"
import type { Canaries, Leak } from "../log/leaks.js"
import {
  type RecordedAnswer,
  type RecordingEvents,
  type RecordingLogger,
  recordingEvents,
  recordingHandler,
  recordingLogger,
} from "../log/recorders.js"
import { connectToMailbox, createMailbox, type Mailbox } from "../mail/mailbox.js"
import { announceHost, findHostLeaks, plantCanaries } from "./host-leaks.js"

type HostConfig = Omit<AuthConfig, "raw">

/** The parts of a test host that its providers can use. */
export interface HostParts {
  /** The fake identity provider. */
  readonly idp: FakeIdentityProvider
  /** Receives the messages of email providers. */
  readonly mailbox: Mailbox
}

/** Options of {@link testHost}: those of `AuthConfig`, and those of the host around it. */
export interface TestHostOptions extends Partial<Omit<HostConfig, "providers">> {
  /** Default: the fake identity provider as OpenID Connect provider. */
  readonly providers?: readonly Provider[] | ((parts: HostParts) => readonly Provider[]) | undefined
  /** The app's origin. Default: `https://app.test`. */
  readonly origin?: string | undefined
  /** Default: a new identity provider at `https://idp.test`. */
  readonly idp?: FakeIdentityProvider | undefined
  /** Handlers of origins other than the app's and the identity provider's. */
  readonly network?: Network | undefined
  /** Serves the paths outside of the service. Default: a page with the path as its heading. */
  readonly app?: Handler | undefined
  /**
   * Whether a suite that searches all hosts for leaks includes this one. Set it to false for a host that leaks secrets on
   * purpose. Default: true.
   */
  readonly isSearched?: boolean | undefined
}

/** An app with Latchkey, and everything around it, in memory. */
export interface TestHost {
  /** The browser of the first visitor. */
  readonly browser: Browser
  /**
   * Opens a browser for another visitor, with its own cookies.
   * @param context The connection that an integration would report. Default: empty.
   */
  newBrowser(context?: AuthContext): Browser
  /** The fake identity provider. */
  readonly idp: FakeIdentityProvider
  /** Receives the messages of email providers. */
  readonly mailbox: Mailbox
  /** The configuration of the service. */
  readonly config: HostConfig
  /** The adapter of the configuration. */
  readonly adapter: Adapter | undefined
  /** What the service logged. */
  readonly logger: RecordingLogger
  /** The events of the service. */
  readonly events: RecordingEvents
  /** Serves the app, the service included. */
  handler(request: Request): Promise<Response>
  /** All responses of the app, oldest first. */
  readonly answers: readonly RecordedAnswer[]
  /** The service's secret and the client secrets. A test can add its own. */
  readonly canaries: Canaries
  /**
   * Searches for secrets in the log, and in bodies and headers of responses except `Location` and `Set-Cookie`. In the log
   * it also searches for values that only the browser or the provider may know: cookies, states, nonces, code verifiers,
   * mailed links.
   */
  leaks(): readonly Leak[]
}

/**
 * Creates an app with the service at `/auth`, a browser, an identity provider and a mailbox. With an email or WebAuthn
 * provider it gets a {@link memoryAdapter} unless the options have an adapter.
 * @example
 * const { browser } = testHost()
 * await browser.signIn("oidc")
 * expect((await browser.session())?.user?.name).toBe("Ada Lovelace")
 */
export function testHost(options: TestHostOptions = {}): TestHost {
  const {
    providers,
    origin = "https://app.test",
    idp = fakeIdentityProvider(),
    network,
    app = showAppPage,
    isSearched = true,
    ...given
  } = options
  const mailbox = createMailbox()
  const logger = recordingLogger(given.logger)
  const events = recordingEvents(given.events)
  const chosen = toProviders(providers, { idp, mailbox })
  const config: HostConfig = {
    basePath: "/auth",
    secret: randomHex(32),
    trustHost: true,
    ...given,
    ...toAdapter(given.adapter, chosen),
    providers: [...chosen],
    logger,
    events: events.handlers,
  }
  const contexts = new WeakMap<Request, AuthContext>()
  const { handler, answers } = recordingHandler(mount(config, app, contexts))
  const openBrowser = (context: AuthContext = {}) =>
    createBrowser({
      handler: (request) => {
        contexts.set(request, context)
        return handler(request)
      },
      origin,
      basePath: config.basePath ?? "/auth",
      network: { [idp.origin]: idp.handler, ...network },
    })
  const canaries = plantCanaries(config, idp)
  const host: TestHost = {
    browser: openBrowser(),
    newBrowser: openBrowser,
    idp,
    mailbox,
    config,
    adapter: config.adapter,
    logger,
    events,
    handler,
    answers,
    canaries,
    leaks: () => findHostLeaks({ idp, mailbox, logger, answers, canaries }),
  }
  return isSearched ? announceHost(host) : host
}

function toProviders(providers: TestHostOptions["providers"], parts: HostParts): readonly Provider[] {
  const chosen = typeof providers === "function" ? providers(parts) : (providers ?? [parts.idp.provider()])
  return chosen.map((provider) => {
    const isEmail = typeof provider === "object" && provider.type === "email"
    return isEmail ? connectToMailbox(provider, parts.mailbox) : provider
  })
}

function toAdapter(adapter: Adapter | undefined, providers: readonly Provider[]): { readonly adapter?: Adapter } {
  if (adapter) return { adapter }
  const needsAdapter = providers.some(
    (provider) => typeof provider === "object" && ["email", "webauthn"].includes(provider.type),
  )
  return needsAdapter ? { adapter: memoryAdapter() } : {}
}

function mount(config: HostConfig, app: Handler, contexts: WeakMap<Request, AuthContext>): Handler {
  const base = (config.basePath ?? "/auth").replace(/(?<!\/)\/+$/, "")
  return (request) => {
    const { pathname } = new URL(request.url)
    const isService = pathname === base || pathname.startsWith(`${base}/`)
    return isService ? Auth(request, config, contexts.get(request)) : app(request)
  }
}

function randomHex(byteLength: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteLength))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** The default app: a page with the path as its heading. */
function showAppPage(request: Request): Response {
  const { pathname } = new URL(request.url)
  const title = `Host application ${pathname}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  const headers = { "content-type": "text/html; charset=utf-8" }
  return new Response(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1></html>`, { headers })
}
