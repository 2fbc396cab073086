import { customFetch } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import { accountArea } from "@latchkey/core/account-area"
import { answerDoctor } from "@latchkey/core/doctor"
import { languages } from "@latchkey/core/languages"
import { de } from "@latchkey/core/languages/de"
import { nativeApps } from "@latchkey/core/native-apps"
import { argon2id } from "@latchkey/core/passwords"
import { providerLogout } from "@latchkey/core/provider-logout"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords, { type AddressedMail } from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import type { AcceptedSource } from "@latchkey/core/types"
import {
  type Browser,
  createBrowser,
  fakeIdentityProvider,
  type TestHost,
  type TestHostOptions,
  testEmail,
  testHost,
} from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import { type AppCode, createAppCode } from "./app-code.js"
import { type SentValues, sentValues } from "./sent-values.js"

export const strategies = ["jwt", "database"] as const
export type Strategy = (typeof strategies)[number]

/** In everything that is about a person: pages may show it to that person. */
export const personMark = "c4n4ry7q"
/** In what no page may show either. */
export const secretMark = "s3cr3t7q"

/** A developer's own machine, so that the error page tells what the log has. */
export const origin = "http://localhost:3000"
export const address = `${personMark}.ada@visitor.example`
export const otherAddress = `${personMark}.eve@visitor.example`
export const password = `${secretMark} right password`
export const newPassword = `${secretMark} another password`
export const person = {
  sub: "ada-1815",
  name: `${personMark} Lovelace`,
  email: address,
  email_verified: true,
  picture: `https://pictures.example/${personMark}.png`,
}
const userAgent = `${personMark}-agent/1.0 (visitor)`
export const nativeUri = "com.example.app:/callback"

/** What a flow differs in. */
export interface StageOptions extends Omit<TestHostOptions, "adapter" | "providers" | "session"> {
  readonly session?: TestHostOptions["session"]
  readonly accept?: readonly AcceptedSource[]
  /** Options of the OpenID Connect provider. */
  readonly oidc?: Parameters<ReturnType<typeof fakeIdentityProvider>["provider"]>[0]
  /** Options of `accountArea`. */
  readonly area?: Parameters<typeof accountArea>[0]
  /** Options of `Passwords`. */
  readonly passwords?: Partial<Parameters<typeof Passwords>[0]>
  /** Options of `secondFactors`. */
  readonly factors?: Partial<Parameters<typeof secondFactors>[0]>
  /** Options of `trackSessions`. */
  readonly tracking?: Parameters<typeof trackSessions>[0]
  /** Options of the provider that mails links and codes. */
  readonly email?: Parameters<typeof testEmail>[0]
}

/** An app with every method and every feature, whose code can fail, and its visitors. */
export interface Stage {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  readonly app: AppCode
  readonly browser: Browser
  newBrowser(): Browser
  /** Sends a request with a `User-Agent`, and without cookies of a browser. */
  send(path: string, init?: RequestInit): Promise<Response>
  /** Mails of features, oldest first. */
  readonly mails: readonly AddressedMail[]
  /** What visitors sent. */
  readonly sent: SentValues
  /** Adds what must not be told. */
  watch(name: string, value: unknown): void
}

/** Opens the app. Ada exists, with an account at each provider. */
export async function openStage(strategy: Strategy, options: StageOptions = {}): Promise<Stage> {
  const app = createAppCode()
  const stored = memoryAdapter()
  await addAda(stored)
  const { calls: _, transaction: __, ...methods } = stored
  const mails: AddressedMail[] = []
  const host = testHost({ ...toConfig(strategy, options, app, mails), adapter: app.ownAll("adapter", methods) })
  host.idp.signInAs(person)
  const sent = sentValues()
  const handler = async (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers)
    headers.set("user-agent", userAgent)
    const own = new Request(request, { headers })
    await sent.note(own)
    return host.handler(own)
  }
  const newBrowser = () => createBrowser({ handler, origin, network: { [host.idp.origin]: host.idp.handler } })
  return {
    host,
    adapter: stored,
    app,
    browser: newBrowser(),
    newBrowser,
    send: (path, init) => handler(new Request(new URL(path, origin), init)),
    mails,
    sent,
    watch: (name, value) => void (typeof value === "string" && value.length >= 6 && sent.add(name, value)),
  }
}

const userId = "u-ada"

async function addAda(adapter: MemoryAdapter): Promise<void> {
  const { name, email, picture } = person
  await adapter.createUser({ id: userId, email, name, image: picture, emailVerified: new Date() })
  for (const provider of ["oidc", "oauth"] as const) {
    await adapter.linkAccount({ provider, providerAccountId: person.sub, type: provider, userId })
  }
  await adapter.linkAccount({ provider: "email", providerAccountId: email, type: "email", userId })
}

function toConfig(
  strategy: Strategy,
  options: StageOptions,
  app: AppCode,
  mails: AddressedMail[],
): Omit<TestHostOptions, "adapter"> {
  const { accept, oidc, area, passwords, factors, tracking, email, session, ...given } = options
  const mail = { send: app.own("mail.send", (sent: AddressedMail) => void mails.push(sent)) }
  const idp = given.idp ?? fakeIdentityProvider({ metadata: { revocation_endpoint: "https://idp.test/revoke" } })
  const picture = { save: app.own("picture.save", () => person.picture) }
  const device = app.own("track.device", () => ({ label: "A browser" }))
  const locale = app.own("languages.locale", () => undefined)
  return {
    origin,
    idp,
    debug: true,
    session: {
      strategy,
      track: trackSessions({ checkEvery: 0, device, ...tracking }),
      ...(accept && { accept }),
      ...session,
    },
    callbacks: {
      signIn: app.own("callbacks.signIn", () => true),
      redirect: app.own("callbacks.redirect", ({ url, baseUrl }) => (url.startsWith("/") ? `${baseUrl}${url}` : url)),
      jwt: app.own("callbacks.jwt", ({ token }) => token),
      session: app.own("callbacks.session", ({ session: shown }) => shown),
    },
    events: toEvents(app),
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()], remember: { days: 30 }, ...factors }),
    accountArea: accountArea({
      mail,
      picture,
      exportUser: app.own("area.exportUser", () => ({ orders: 1 })),
      beforeDelete: app.own("area.beforeDelete", () => null),
      ...area,
    }),
    nativeApps: nativeApps({ clients: [{ id: "ios", name: "Example", redirectUris: [nativeUri] }] }),
    accessTokens: accessTokens(),
    providerLogout: providerLogout({ backchannel: true, frontchannel: true, atProvider: true }),
    languages: languages([de], { locale }),
    doctor: answerDoctor(),
    clientAddress: app.own("clientAddress", () => "203.0.113.77"),
    providers: ({ mailbox }) => [
      idp.provider({ [customFetch]: app.own("oidc.fetch", idp.fetch), ...oidc }),
      idp.oauthProvider({
        [customFetch]: app.own("oauth.fetch", idp.fetch),
        profile: app.own("oauth.profile", ({ sub, name, email: mailTo }) => ({
          id: String(sub),
          name: name ?? null,
          email: mailTo ?? null,
        })),
      }),
      testEmail({
        code: true,
        sendVerificationRequest: app.own("email.send", mailbox.sendVerificationRequest),
        ...email,
      }),
      {
        id: "cred",
        name: "Card",
        type: "credentials",
        credentials: { name: {}, pin: { type: "password" } },
        authorize: app.own("cred.authorize", ({ name, pin }) =>
          name === address && pin === password ? { id: userId, name: person.name, email: address } : null,
        ),
      },
      Passwords({ mail, breached: false, hash: argon2id({ memory: 64, passes: 1 }), ...passwords }),
      Passkey({ verifyAuthenticationOptions: { requireUserVerification: false } }),
    ],
    ...given,
  }
}

const eventNames = ["signIn", "signOut", "createUser", "updateUser", "linkAccount", "session"] as const

function toEvents(app: AppCode): NonNullable<TestHostOptions["events"]> {
  return Object.fromEntries(eventNames.map((name) => [name, app.own(`events.${name}`, () => {})]))
}

/** Posts a form with the browser's CSRF token. Redirects are not followed. */
export async function post(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string>> = {},
  accept = "application/json",
): Promise<Response> {
  const csrfToken = await browser.csrfToken()
  const body = new URLSearchParams({ csrfToken, ...fields })
  return browser.fetch(path, { method: "POST", body, headers: { accept } })
}

/** Signs Ada in by the app's own form. */
export async function signIn(stage: Stage, browser = stage.browser): Promise<Browser> {
  await post(browser, "/auth/callback/cred", { name: address, pin: password })
  return browser
}
