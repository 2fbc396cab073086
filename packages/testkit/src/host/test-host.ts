import { Auth } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import type { AuthConfig, AuthContext, Provider } from "@latchkey/core/types"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { type Browser, createBrowser } from "../browser/browser.js"
import type { Handler, Network } from "../browser/navigation.js"
import { type FakeIdentityProvider, fakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { type Canaries, createCanaries, findLeaks, type Leak } from "../log/leaks.js"
import {
  type RecordedAnswer,
  type RecordingEvents,
  type RecordingLogger,
  recordingEvents,
  recordingHandler,
  recordingLogger,
} from "../log/recorders.js"
import { createMailbox, type Mailbox, plugIn } from "../mail/mailbox.js"
import { announceHost, listMetSecrets } from "./host-leaks.js"

type HostConfig = Omit<AuthConfig, "raw">

/** What providers may need of the host that they are for. */
export interface HostParts {
  readonly idp: FakeIdentityProvider
  readonly mailbox: Mailbox
}

/** Any option of the service, and how the host around it is set up. */
export interface TestHostOptions extends Partial<Omit<HostConfig, "providers">> {
  /** Default: the fake identity provider by OpenID Connect. */
  readonly providers?: readonly Provider[] | ((parts: HostParts) => readonly Provider[])
  /** Default: `https://app.test`. */
  readonly origin?: string
  /** Default: a new one at `https://idp.test`. */
  readonly idp?: FakeIdentityProvider
  /** Who answers at other origins besides the app and the identity provider. */
  readonly network?: Network
  /** What the app answers outside of the service. Default: a page with the path as its heading. */
  readonly app?: Handler
  /**
   * Whether a suite that searches all hosts for secrets searches this one: not, where it lets some out on purpose.
   * Default: true.
   */
  readonly isSearched?: boolean
}

/** A host app with everything around it, in memory. */
export interface TestHost {
  /** The first visitor. */
  readonly browser: Browser
  /**
   * Another visitor, with cookies of their own.
   * @param context What an integration would say of their connection. Default: nothing.
   */
  newBrowser(context?: AuthContext): Browser
  readonly idp: FakeIdentityProvider
  readonly mailbox: Mailbox
  /** What the service is called with. */
  readonly config: HostConfig
  readonly adapter: Adapter | undefined
  readonly logger: RecordingLogger
  readonly events: RecordingEvents
  /** The app, the service included. */
  handler(request: Request): Promise<Response>
  /** Every answer of the app, in order. */
  readonly answers: readonly RecordedAnswer[]
  /** The service's secret and the app's secret at the provider; a test may add its own. */
  readonly canaries: Canaries
  /**
   * Secrets that stand in the log, or in the body or a header of an answer other than `Location` and `Set-Cookie`. In
   * the log also what a browser or a provider was rightly given: cookies, states, nonces, code verifiers, mailed links.
   */
  leaks(): readonly Leak[]
}

/**
 * Sets up a host with the service below `/auth`, a browser, an identity provider and a mailbox. With an email or
 * WebAuthn provider and no adapter it gets one that keeps its records in memory.
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
    ...toStore(given.adapter, chosen),
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
    leaks() {
      const told = logger.texts()
      const secrets = [...canaries.all, ...issuedBy({ idp, mailbox })]
      return [
        ...findLeaks([...told, ...answers.map(toText)], secrets),
        ...findLeaks(told, listMetSecrets({ idp, mailbox, answers })),
      ]
    },
  }
  return isSearched ? announceHost(host) : host
}

function toProviders(providers: TestHostOptions["providers"], parts: HostParts): readonly Provider[] {
  const chosen = typeof providers === "function" ? providers(parts) : (providers ?? [parts.idp.provider()])
  return chosen.map((provider) => {
    const isEmail = typeof provider === "object" && provider.type === "email"
    return isEmail ? plugIn(provider, parts.mailbox) : provider
  })
}

function toStore(adapter: Adapter | undefined, providers: readonly Provider[]): { readonly adapter?: Adapter } {
  if (adapter) return { adapter }
  const needsStore = providers.some(
    (provider) => typeof provider === "object" && ["email", "webauthn"].includes(provider.type),
  )
  return needsStore ? { adapter: memoryAdapter() } : {}
}

function mount(config: HostConfig, app: Handler, contexts: WeakMap<Request, AuthContext>): Handler {
  const base = (config.basePath ?? "/auth").replace(/\/+$/, "")
  return (request) => {
    const { pathname } = new URL(request.url)
    const isService = pathname === base || pathname.startsWith(`${base}/`)
    return isService ? Auth(request, config, contexts.get(request)) : app(request)
  }
}

function plantCanaries({ secret }: HostConfig, { clients }: FakeIdentityProvider): Canaries {
  const canaries = createCanaries()
  const secrets = [secret ?? []].flat().map((value) => ["the service's secret", value] as const)
  const ofClients = clients.map(({ client_secret }) => ["the client secret", client_secret] as const)
  for (const [name, value] of [...secrets, ...ofClients]) if (value.length >= 8) canaries.watch(name, value)
  return canaries
}

function issuedBy({ idp, mailbox }: HostParts): readonly { readonly name: string; readonly value: string }[] {
  return [...idp.issued, ...mailbox.messages.map(({ token }) => ({ name: "mail token", value: token }))]
}

function toText({ headers, body }: RecordedAnswer): string {
  const shown = Object.entries(headers).filter(([name]) => name !== "location")
  return [...shown.map(([name, value]) => `${name}: ${value}`), body].join("\n")
}

function randomHex(byteLength: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteLength))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** What the app of a test host shows outside of the service: a page that says which one it is. */
function showAppPage(request: Request): Response {
  const { pathname } = new URL(request.url)
  const title = `Host application ${pathname}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  const headers = { "content-type": "text/html; charset=utf-8" }
  return new Response(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1></html>`, { headers })
}
