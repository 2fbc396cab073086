import { customFetch } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import { providerLogout } from "@latchkey/core/provider-logout"
import passkey from "@latchkey/core/providers/passkey"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig, EmailConfig, OAuthConfig, Provider } from "@latchkey/core/types"
import { createArea, createNative, createPasswords } from "./features.js"
import { deliverMail } from "./mail-server.js"
import { endedBy, type StorePromises } from "./model.js"
import {
  accountLimit,
  accountOf,
  countWrongPassword,
  pairLimit,
  pairWindowSeconds,
  rememberRightPassword,
} from "./password-budget.js"
import { beginning, halfPath, type Identity, type Person, secretMark } from "./people.js"
import type { SimulatedProvider } from "./provider.js"
import type { ProviderCaller } from "./provider-tokens.js"
import { nameSessionCookie } from "./session-cookie.js"
import type { Setting } from "./setting.js"
import { simulatedCounters, simulatedStore } from "./store.js"
import type { Surroundings } from "./surroundings.js"
import { notePresented } from "./token-rules.js"

/** The configuration of an instance: a capability that is simulated is switched on here. */
export function createConfig(index: number, around: Surroundings): Omit<AuthConfig, "raw"> {
  const { setting, adapter, counters, logger, runName } = around
  const limitPerNetwork = setting.isNetworkKnown ? 40 : 2
  return {
    basePath: "/auth",
    secret: `${secretMark}-of-the-service-${runName}`,
    trustHost: true,
    useSecureCookies: true,
    adapter: simulatedStore(adapter, index, around),
    session: { strategy: setting.strategy, ...(setting.isTracked && { track: createTracking(setting) }) },
    ...(setting.hasSecondFactors && { secondFactors: createFactors(setting) }),
    ...(setting.keepsTokens && { accessTokens: accessTokens() }),
    ...(setting.isTracked && { providerLogout: providerLogout({ backchannel: true }) }),
    ...(setting.hasAccountArea && { accountArea: createArea(index, around) }),
    ...(setting.hasNativeApps && { nativeApps: createNative() }),
    cookies: { sessionToken: { name: nameSessionCookie(setting) } },
    providers: createProviders(index, around),
    logger,
    callbacks: createCallbacks(around),
    events: createEvents(around),
    rateLimit: {
      // The memory of the process outlives a simulated one.
      whenStoreFails: "refuse",
      store: simulatedCounters(counters, index, around),
      budgets: {
        signIn: false,
        callback: false,
        webAuthnOptions: false,
        sessionUpdate: false,
        signOut: false,
        failuresPerNetworkAndAccount: { limit: pairLimit, windowSeconds: pairWindowSeconds },
        failuresPerNetwork: { limit: limitPerNetwork, windowSeconds: 3600 },
        failuresPerAccount: { limit: accountLimit, windowSeconds: 86_400 },
      },
    },
  }
}

/**
 * The configuration of the half of the app that does not track its sessions: the same secret, store and cookies, no second factors, and tokens with what the half
 * needs alone.
 */
export function createHalf(index: number, around: Surroundings): Omit<AuthConfig, "raw"> {
  const { secondFactors, providerLogout, accountArea, nativeApps, accessTokens, ...shared } = createConfig(
    index,
    around,
  )
  return {
    ...shared,
    basePath: halfPath,
    session: { strategy: "jwt" },
    providers: createProviders(index, around).slice(0, 1),
    callbacks: { ...shared.callbacks, jwt: ({ token: { sub = "" }, user }) => ({ sub: user?.id ?? sub }) },
  }
}

/** Seconds between two lookups of a tracked session. */
const checkEvery = 20
/** Two instances may write and read the time of a lookup, each with its clock off by as much as is possible. */
const driftSeconds = 40
const holdFactor = 10
const mostSessions = 2

function createFactors({ isFactorRequired }: Setting) {
  return secondFactors({ factors: [totp(), recoveryCodes()], require: isFactorRequired ? "always" : "enrolled" })
}

/** When the host began to track sessions that it had before. Longer after them than clocks are apart. */
export const trackedSince: Date = new Date(beginning + 60_000)

function createTracking({ isSessionCountLimited, isSessionHeld, hasHalf }: Setting) {
  return trackSessions({
    // The start that the service stores itself is read once for all requests, which no cut can tell apart.
    ...(hasHalf && { adopt: trackedSince }),
    checkEvery,
    whenStoreFails: isSessionHeld ? "hold" : "refuse",
    ...(isSessionCountLimited && { maxPerUser: { count: mostSessions, over: "end-oldest" } }),
  })
}

/** What the host's tracking of sessions promises. */
export function promiseTracking(setting: Setting): StorePromises["tracking"] {
  if (!setting.isTracked) return null
  const seconds = checkEvery * (setting.isSessionHeld ? holdFactor : 1) + driftSeconds
  return {
    boundMs: setting.strategy === "database" ? 0 : seconds * 1000,
    maxPerUser: setting.isSessionCountLimited ? mostSessions : Number.POSITIVE_INFINITY,
  }
}

/** How long a mailed link works. */
export const mailSeconds = 3600

function createProviders(index: number, around: Surroundings): Provider[] {
  const { providers, setting, random } = around
  const oidc = providers.map(
    (provider): OAuthConfig => ({
      id: provider.id,
      name: provider.id,
      type: "oidc",
      issuer: provider.origin,
      clientId: `client-${provider.id}`,
      clientSecret: provider.clientSecret,
      checks: provider.id === "south" && setting.isUnchecked ? ["none"] : ["pkce", "state", "nonce"],
      allowDangerousEmailAccountLinking: provider.id === "south" && setting.isEmailLinked,
      [customFetch]: createFetch(provider, index, around),
    }),
  )
  const mail: EmailConfig = {
    id: "mail",
    name: "Mail",
    type: "email",
    from: "no-reply@app.corp.test",
    maxAge: mailSeconds,
    code: true,
    opening: setting.isLinkClosed ? "code" : "confirm",
    sendVerificationRequest: createMailer("mail", index, around),
  }
  return [
    ...oidc,
    mail,
    {
      ...mail,
      id: "code",
      code: false,
      // As hosts of the contract have it: their own form calls the callback.
      opening: "get",
      generateVerificationToken: () => String(100_000 + random.int(900_000)),
      sendVerificationRequest: createMailer("code", index, around),
    },
    setting.hasPasswords ? createPasswords(index, around) : createDirectory(index, around),
    passkey({}),
  ]
}

/** The network between an instance and a provider. Documents arrive at once: the service shares them between requests. */
function createFetch(provider: SimulatedProvider, instance: number, { scheduler, model }: Surroundings): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const exchange = scheduler.running()?.exchange
    const note = ({ sub, person, email, isEmailVerified }: Identity) => {
      const verified = isEmailVerified ? { verifiedEmail: email } : {}
      exchange?.proofs.push({ kind: "account", id: `${provider.id} ${sub}`, person, ...verified })
    }
    const own: ProviderCaller = { note, present: (token) => exchange && notePresented(model, exchange, token) }
    if (request.method !== "POST") return provider.answer(request, own)
    const isRefresh = (await request.clone().text()).includes("grant_type=refresh_token")
    const wait = scheduler.cut({
      label: `${provider.id}.token`,
      // A refresh token that a network sends twice ends its family, whoever the client is.
      faults: isRefresh ? ["fail", "lost", "silent"] : ["fail", "lost", "twice", "silent"],
      instance,
    })
    const outcome = await Promise.race([wait, untilAborted(request.signal)])
    if (outcome !== "ok") exchange?.faults.push(`${provider.id}.token: ${outcome}`)
    if (outcome === "fail" || outcome === "silent") throw new TypeError("fetch failed")
    const again = outcome === "twice" ? request.clone() : null
    const answer = await provider.answer(request, own)
    if (outcome === "lost") throw new TypeError("fetch failed")
    return again ? provider.answer(again, own) : answer
  }
}

function untilAborted(signal: AbortSignal): Promise<"silent"> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve("silent"), { once: true })
  })
}

function createMailer(id: string, index: number, around: Surroundings): EmailConfig["sendVerificationRequest"] {
  return ({ identifier: to, url, token, code }) => {
    const letter = { provider: id, to, url, token, code, purpose: undefined, hasSecret: true }
    return deliverMail(letter, index, around)
  }
}

/** The host's directory of passwords. */
function createDirectory(index: number, around: Surroundings): Provider {
  return {
    id: "password",
    name: "Password",
    type: "credentials",
    credentials: { username: {}, password: { type: "password" } },
    authorize: (credentials) => authorize(credentials, index, around),
  }
}

async function authorize(
  { username, password }: Record<string, unknown>,
  instance: number,
  { people, model, scheduler, setting }: Surroundings,
) {
  const exchange = scheduler.running()?.exchange
  const person = people.find((each) => each.password?.username === accountOf(String(username)))
  const network = exchange?.browser.network.address ?? ""
  const outcome = await scheduler.cut({ label: "password.authorize", faults: ["fail"], instance })
  if (outcome !== "ok") {
    exchange?.faults.push(`password.authorize: ${outcome}`)
    throw new Error(`The query for ${username} with ${password} failed`)
  }
  if (!exchange || !person?.password || person.password.password !== password) {
    countWrongPassword({ name: String(username), network, isNetworkKnown: setting.isNetworkKnown }, model)
    return null
  }
  if (model.users.get(passwordUserId(person))?.isDeleted) return null
  exchange.proofs.push({ kind: "password", id: person.password.username, person })
  return { id: passwordUserId(person), name: person.name, email: person.email }
}

/** Id of the user whom the host created for a person with a password. */
export function passwordUserId(person: Pick<Person, "name">): string {
  return `user-of-${person.name.toLowerCase()}`
}

/** Too much for one cookie. */
const manyRoles = "role ".repeat(900)

function createCallbacks({ setting, model, scheduler, random }: Surroundings): NonNullable<AuthConfig["callbacks"]> {
  const exchange = () => scheduler.running()?.exchange
  return {
    signIn: ({ user }) => !model.banned.has(user.id ?? ""),
    ...(setting.isRedirectNaive && {
      redirect: ({ url, baseUrl }) => (url.startsWith("/") || new URL(url).origin === baseUrl ? url : baseUrl),
    }),
    jwt({ token, user }) {
      const large = setting.isSessionLarge ? { roles: manyRoles } : {}
      const current = exchange()
      if (setting.isTracked) {
        // Of a new session, the record says which it is.
        if (current && !user && token["sid"] !== undefined) current.sid = String(token["sid"])
        return { ...token, ...large }
      }
      const sid = user ? `sid-${random.int(2 ** 31)}` : String(token["sid"])
      if (model.revoked.has(sid)) return null
      if (current) current.sid = sid
      return { ...token, sid, ...large }
    },
    session: ({ session, user, token }) => ({
      expires: session.expires,
      user: { ...session.user, id: String(user?.id ?? token.sub) },
    }),
  }
}

function createEvents({ model, scheduler }: Surroundings): NonNullable<AuthConfig["events"]> {
  const exchange = () => scheduler.running()?.exchange
  return {
    signIn({ user, account }) {
      const current = exchange()
      if (!current) return
      current.signedIn = { userId: user.id ?? "", provider: account?.provider ?? "" }
      if (current.url.pathname === "/auth/callback/password") rememberRightPassword(current, model)
    },
    session({ session }) {
      const current = exchange()
      if (current) current.sessionUserId = session.user?.id ?? null
    },
    signOut(message) {
      const current = exchange()
      const sid = "token" in message ? message.token?.["sid"] : undefined
      if (!current || sid === undefined || model.promises.tracking) return
      model.revoked.set(String(sid), { by: endedBy(current), deadFromMs: model.now() })
    },
  }
}
