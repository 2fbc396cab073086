import { customFetch } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { providerLogout } from "@latchkey/core/logout"
import passkey from "@latchkey/core/providers/passkey"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig, EmailConfig, OAuthConfig, Provider, RateLimitStore } from "@latchkey/core/types"
import type { RecordingLogger } from "../log/recorders.js"
import type { Exchange, Write } from "./exchange.js"
import { endedBy, type Model, type StorePromises } from "./model.js"
import { type Person, secretMark } from "./people.js"
import type { SimulatedProvider } from "./provider.js"
import type { Random } from "./random.js"
import type { Scheduler } from "./scheduler.js"
import { nameSessionCookie } from "./session-cookie.js"
import type { Setting } from "./setting.js"
import { simulatedCounters, simulatedStore } from "./store.js"

/** What the instances share. */
export interface Surroundings {
  readonly setting: Setting
  readonly scheduler: Scheduler
  readonly model: Model
  readonly random: Random
  readonly people: readonly Person[]
  readonly providers: readonly SimulatedProvider[]
  readonly adapter: Adapter
  readonly counters: RateLimitStore
  readonly logger: RecordingLogger
  /** Keys of rate limits and caches must not be those of another run. */
  readonly runName: string
  recordWrite(exchange: Exchange, write: Write): void
  /** The time of the world, which no instance's clock is exactly. */
  now(): number
}

/** Wrong passwords for one account from one network. */
const pairLimit = 5
const pairWindowSeconds = 900

/** Attempts that may be counted in one window and reach the host in the next. */
export const mostParallel = 4

/** Wrong passwords for one account from networks that it does not know. */
export const accountLimit = 8

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
    ...(setting.isTracked && { logout: providerLogout({ backchannel: true }) }),
    cookies: { sessionToken: { name: nameSessionCookie(setting) } },
    experimental: { enableWebAuthn: true },
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

/** Seconds between two lookups of a tracked session. */
const checkEvery = 20
/** Two instances may write and read the time of a lookup, each with its clock off by as much as is possible. */
const driftSeconds = 40
const holdFactor = 10
const mostSessions = 2

function createTracking({ isSessionCountLimited, isSessionHeld }: Setting) {
  return trackSessions({
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
    {
      id: "password",
      name: "Password",
      type: "credentials",
      credentials: { username: {}, password: { type: "password" } },
      authorize: (credentials) => authorize(credentials, index, around),
    },
    passkey({}),
  ]
}

/** The network between an instance and a provider. Documents arrive at once: the service shares them between requests. */
function createFetch(provider: SimulatedProvider, instance: number, { scheduler }: Surroundings): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const exchange = scheduler.running()?.exchange
    const note = (proof: Parameters<Parameters<SimulatedProvider["answer"]>[1]>[0]) => {
      const { sub, person, email, isEmailVerified } = proof
      const verified = isEmailVerified ? { verifiedEmail: email } : {}
      exchange?.proofs.push({ kind: "account", id: `${provider.id} ${sub}`, person, ...verified })
    }
    if (request.method !== "POST") return provider.answer(request, note)
    const wait = scheduler.cut({
      label: `${provider.id}.token`,
      faults: ["fail", "lost", "twice", "silent"],
      instance,
    })
    const outcome = await Promise.race([wait, untilAborted(request.signal)])
    if (outcome !== "ok") exchange?.faults.push(`${provider.id}.token: ${outcome}`)
    if (outcome === "fail" || outcome === "silent") throw new TypeError("fetch failed")
    const again = outcome === "twice" ? request.clone() : null
    const answer = await provider.answer(request, note)
    if (outcome === "lost") throw new TypeError("fetch failed")
    return again ? provider.answer(again, note) : answer
  }
}

function untilAborted(signal: AbortSignal): Promise<"silent"> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve("silent"), { once: true })
  })
}

function createMailer(
  id: string,
  instance: number,
  { scheduler, model, people, now }: Surroundings,
): EmailConfig["sendVerificationRequest"] {
  return async ({ identifier, url, token, code }) => {
    const exchange = scheduler.running()?.exchange
    const outcome = await scheduler.cut({ label: `mail.${id}`, faults: ["fail", "lost", "twice"], instance })
    if (outcome !== "ok") exchange?.faults.push(`mail.${id}: ${outcome}`)
    if (outcome === "fail") throw new Error("The mail server cannot be reached")
    const owner = people.find(({ email }) => email === identifier)
    if (exchange) {
      const { browser, id: exchangeId } = exchange
      const state = { sentMs: now(), used: 0, replacedMs: null }
      model.mails.push({ provider: id, to: identifier, url, token, code, browser, exchangeId, owner, ...state })
    }
    if (outcome === "lost") throw new Error("The mail server did not answer")
  }
}

/** The host's directory of passwords. */
async function authorize(
  { username, password }: Record<string, unknown>,
  instance: number,
  { people, model, scheduler, setting, now }: Surroundings,
) {
  const exchange = scheduler.running()?.exchange
  const person = people.find((each) => each.password?.username === username)
  const network = exchange?.browser.network.address ?? ""
  const outcome = await scheduler.cut({ label: "password.authorize", faults: ["fail"], instance })
  if (outcome !== "ok") {
    exchange?.faults.push(`password.authorize: ${outcome}`)
    throw new Error(`The query for ${username} with ${password} failed`)
  }
  if (!exchange || !person?.password || person.password.password !== password) {
    const key = `${network} ${username}`
    const all = [...model.wrongPasswords]
      .filter(([other]) => other.endsWith(` ${username}`))
      .flatMap(([, times]) => times)
    const times = [...(model.wrongPasswords.get(key) ?? []), now()]
    model.wrongPasswords.set(key, times)
    const recent = times.filter((time) => time > now() - pairWindowSeconds * 1000).length
    // Two windows may meet within the length of one, and a counted attempt may reach the host later.
    if (setting.isNetworkKnown && recent > 2 * pairLimit + mostParallel) {
      const sentence = `${recent} wrong passwords of one network reached the host for one account within one window.`
      model.violations.push({ rule: "budget", sentence })
    }
    if (all.length >= 2 * accountLimit + mostParallel) {
      const sentence = `${all.length + 1} wrong passwords reached the host for one account within one day.`
      model.violations.push({ rule: "budget", sentence })
    }
    return null
  }
  exchange.proofs.push({ kind: "password", id: person.password.username, person })
  return { id: passwordUserId(person), name: person.name, email: person.email }
}

/** Id of the user whom the host created for a person with a password. */
export function passwordUserId(person: Person): string {
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
        if (current && !user) current.sid = String(token["sid"])
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
      if (account?.provider === "password") {
        const { person, network } = current.browser
        model.knownNetworks.add(`${network.address} ${person.password?.username}`)
        model.wrongPasswords.delete(`${network.address} ${person.password?.username}`)
      }
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
