import type { Adapter } from "@latchkey/core/adapters"
import { encode } from "@latchkey/core/jwt"
import { memoryAdapter } from "../../packages/testkit/src/adapter/memory-adapter.js"
import { recordingLogger } from "../../packages/testkit/src/log/recorders.js"
import { hashPassword } from "./argon2.js"
import type { Exchange, Write } from "./exchange.js"
import { deletionJobPath, importPath } from "./features.js"
import { createFormer } from "./half-rules.js"
import { createConfig, passwordUserId, promiseTracking, trackedSince } from "./host.js"
import { createInstance, type Instance, supportPath } from "./instance.js"
import { createModel, createUserFacts, type Model } from "./model.js"
import { appOrigins } from "./native-rules.js"
import { appOrigin, beginning, createPeople, evilOrigin, type Person, siblingOrigin } from "./people.js"
import { createProvider, type SimulatedProvider } from "./provider.js"
import type { Random } from "./random.js"
import { createScheduler, type Scheduler } from "./scheduler.js"
import { createService } from "./service.js"
import { nameSessionCookie } from "./session-cookie.js"
import type { Setting } from "./setting.js"
import { createCounters } from "./store.js"
import type { Surroundings } from "./surroundings.js"
import type { Tale } from "./tale.js"
import { apiPath, checkTokenWrite } from "./token-rules.js"
import { createVisitorBrowser, type VisitorBrowser } from "./visitor-browser.js"
import { checkWrite } from "./write-rules.js"

/** Cookies as they stand in a jar. */
export type CopiedCookies = readonly { readonly name: string; readonly value: string }[]

/** A sign-in that the attacker began and did not complete. */
export interface HeldFlow {
  readonly provider: string
  readonly authorizeUrl: string
  /** With the code of the attacker's account. */
  readonly callbackUrl: string
  readonly cookies: CopiedCookies
}

/** Everything that the attacker has seen. */
export interface Knowledge {
  readonly flows: HeldFlow[]
  /** Whether callback URLs of others leak. */
  isListening: boolean
  /** Callback URLs of others. */
  readonly callbacks: string[]
  /** Copies of session cookies. */
  readonly sessions: CopiedCookies[]
  /** Answers of the attacker's own device, with the cookies that belonged to them. */
  readonly assertions: { readonly answer: string; readonly cookies: CopiedCookies }[]
  /** Cookies of sign-ins that wait for a second factor. */
  readonly holds: CopiedCookies[]
  /** Copies of the tokens of native apps. */
  readonly tokens: string[]
  /** Addresses with the code of a native app that went through a victim's browser. */
  readonly appCodes: string[]
  /** Values of a stolen store that are no sessions, such as hashes of mailed tokens with their address. */
  readonly rows: { readonly text: string; readonly email: string | undefined }[]
}

/** The whole system in one process. */
export interface World {
  readonly setting: Setting
  readonly model: Model
  readonly scheduler: Scheduler
  readonly victims: readonly Person[]
  readonly attacker: Person
  readonly providers: readonly SimulatedProvider[]
  readonly instances: readonly Instance[]
  readonly knowledge: Knowledge
  readonly tale: Tale
  browserOf(person: Person): VisitorBrowser
  /** A person's second browser, in which they read mail. */
  phoneOf(person: Person): VisitorBrowser
  /** A person's native app: a browser without cookies that reaches only the app's service. */
  appOf(person: Person): VisitorBrowser
  /** The tokens that a person's native app has. */
  tokensOf(person: Person): string[]
  /** Another browser, without cookies: of what looks at a person's mails before they do, or on a device that they rarely use. */
  scannerOf(person: Person): VisitorBrowser
  providerOf(id: string): SimulatedProvider
  /** Moves the clock forward, and calls the timers that are due. */
  advance(milliseconds: number): void
  now(): number
  /** Prepares what exists before the first step. */
  open(): Promise<void>
}

export interface WorldOptions {
  readonly seed: number
  readonly setting: Setting
  readonly adapter: Adapter | undefined
  readonly random: Random
  readonly tale: Tale
}

export function createWorld({ seed, setting, adapter: given = memoryAdapter(), random, tale }: WorldOptions): World {
  let elapsedMs = 0
  const adapter = setting.isAdapterPublished ? publishedOnly(given) : given
  const hasVerifiedEmails = Boolean(adapter.markEmailVerified && adapter.isEmailVerified)
  const promises = {
    hasConsumeOnce: adapter.consumeOnce !== undefined,
    hasVerifiedEmails,
    keepsTokens: setting.keepsTokens,
    isLinkClosed: setting.isLinkClosed,
    vetsAccounts: setting.hasAccountArea && !setting.hasSecondFactors,
    demandsTwo: setting.isFactorRequired,
    tracking: promiseTracking(setting),
  }
  const model = createModel(promises, () => beginning + elapsedMs)
  const knowledge = createKnowledge(setting)
  const scheduler = createScheduler(() => beginning + elapsedMs)
  const now = () => beginning + elapsedMs + (instances[scheduler.running()?.exchange?.instance ?? -1]?.driftMs ?? 0)
  const people = createPeople()
  const [vera, paul, attacker] = people
  const worldTime = () => beginning + elapsedMs
  const providers = createProviders(setting, random, worldTime)
  const around = {
    setting,
    scheduler,
    model,
    random,
    people,
    providers,
    adapter,
    counters: createCounters(worldTime),
    logger: recordingLogger(silent),
    now: worldTime,
    runName: `${seed}-${random.int(2 ** 31)}`,
    recordWrite(exchange: Exchange, write: Write) {
      if (setting.isStoreStolen) knowledge.rows.push(...readRow(write))
      tale.write(exchange, write)
      checkWrite(model, exchange, write)
      checkTokenWrite(model, exchange, write)
    },
  }
  const instances = Array.from({ length: setting.instances }, (_, index) => createInstance(index, around))
  const service = createService({ seed, model, scheduler, instances, logger: around.logger, tale, now: worldTime })
  const network = { service, setting, scheduler, providers, knowledge, attacker }
  return {
    setting,
    model,
    scheduler,
    victims: [vera, paul],
    attacker,
    providers,
    instances,
    knowledge,
    tale,
    ...createDevices(people, network),
    // as: the moves name the providers that exist
    providerOf: (id) => providers.find((provider) => provider.id === id) as SimulatedProvider,
    now,
    advance(milliseconds) {
      elapsedMs += milliseconds
      scheduler.fireTimers()
    },
    async open() {
      for (const person of people)
        if (person.password) await createPasswordUser(person, { adapter, model, setting, random })
      if (setting.isAttackerBanned) model.banned.add(passwordUserId(attacker))
      if (setting.hasHalf) {
        await beginFormer(people, around, (milliseconds) => {
          elapsedMs += milliseconds
        })
      }
    },
  }
}

function createKnowledge({ isCallbackLeaked: isListening }: Setting): Knowledge {
  const seen = { flows: [], callbacks: [], sessions: [], holds: [], assertions: [], tokens: [], appCodes: [], rows: [] }
  return { isListening, ...seen }
}

/** The methods that an adapter for Auth.js can have. */
const contractMethods: ReadonlySet<string> = new Set<keyof Adapter>([
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "deleteUser",
  "linkAccount",
  "unlinkAccount",
  "getAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
  "createVerificationToken",
  "useVerificationToken",
  "createAuthenticator",
  "getAuthenticator",
  "listAuthenticatorsByUserId",
  "updateAuthenticatorCounter",
])

/** The adapter with the methods of the contract alone. */
function publishedOnly(adapter: Adapter): Adapter {
  return Object.fromEntries(Object.entries(adapter).filter(([method]) => contractMethods.has(method)))
}

function createProviders(setting: Setting, random: Random, now: () => number): readonly SimulatedProvider[] {
  const { isPkceChecked, isSouthCompromised, keepsTokens: isRefreshed } = setting
  return ["north", "south"].map((id) =>
    createProvider({
      id,
      isCompromised: id === "south" && isSouthCompromised,
      isPkceChecked,
      isRefreshed,
      now,
      random,
    }),
  )
}

type Devices = Pick<World, "browserOf" | "phoneOf" | "appOf" | "tokensOf" | "scannerOf">

function createDevices(people: readonly Person[], network: NetworkParts): Devices {
  const [browsers, phones, apps] = [1, 2, 3].map(() => createBrowsers(people, network))
  const tokens = new Map<Person, string[]>(people.map((person) => [person, []]))
  return {
    // as: every person got one above
    browserOf: (person) => browsers?.get(person) as VisitorBrowser,
    phoneOf: (person) => phones?.get(person) as VisitorBrowser,
    appOf: (person) => apps?.get(person) as VisitorBrowser,
    tokensOf: (person) => tokens.get(person) as string[],
    scannerOf: (person) => createScanner(person, network),
  }
}

function createBrowsers(people: readonly Person[], parts: NetworkParts): ReadonlyMap<Person, VisitorBrowser> {
  const origins = [appOrigin, siblingOrigin, evilOrigin, ...appOrigins, ...parts.providers.map(({ origin }) => origin)]
  return new Map(people.map((person) => [person, createVisitorBrowser({ ...placeOf(person, parts), origins })]))
}

function createScanner(person: Person, parts: NetworkParts): VisitorBrowser {
  const origins = [appOrigin, ...parts.providers.map(({ origin }) => origin)]
  const scanner = createVisitorBrowser({ ...placeOf(person, parts), origins })
  scanner.network.address = "203.0.113.25"
  return scanner
}

function placeOf(person: Person, parts: NetworkParts) {
  const { setting } = parts
  return {
    person,
    app: new URL(appOrigin),
    isNetworkKnown: setting.isNetworkKnown,
    sessionCookie: nameSessionCookie(setting),
    uncheckedProvider: setting.isUnchecked ? "south" : null,
    serve: (browser: VisitorBrowser, request: Request) => serve(parts, browser, request),
  }
}

/** The values of a written row that an attacker could try, without those of sessions. */
function readRow({ method, args }: Write): Knowledge["rows"] {
  const [row] = args
  if (method === "consumeOnce") return [{ text: String(row), email: undefined }]
  const { identifier, token, id, credentialID, providerAccountId } = Object(row)
  if (method === "createVerificationToken") return [{ text: token, email: identifier }]
  const texts =
    method === "createSession" || method === "createSessionDetail" ? [] : [id, credentialID, providerAccountId]
  return texts.filter((text) => typeof text === "string").map((text) => ({ text, email: undefined }))
}

const silent = { error: () => {}, warn: () => {}, debug: () => {} }

/** The host created these users itself, and verified their addresses. */
async function createPasswordUser(
  person: Person,
  { adapter, model, setting, random }: Pick<WorldOptions, "setting" | "random"> & { adapter: Adapter; model: Model },
): Promise<void> {
  const { email, password } = person
  const { id = "" } =
    (await adapter.createUser?.({ id: passwordUserId(person), email, emailVerified: new Date() })) ?? {}
  model.users.set(id, createUserFacts({ id, email, owner: person, bornIn: null }))
  if (!setting.hasPasswords || !password) return
  const salt = new Uint8Array(16)
  random.fill(salt)
  await adapter.setPassword?.({
    userId: id,
    hash: hashPassword(password.password, salt),
    changedAt: new Date(),
    from: null,
  })
  model.chosenPasswords.set(password.password, person)
  model.passwords.set(id, { email, text: password.password, version: 1 })
}

/** The users of the host begin a session. A minute later, the app begins to track them. */
async function beginFormer(
  people: readonly Person[],
  around: Surroundings,
  wait: (milliseconds: number) => void,
): Promise<void> {
  const { secret } = createConfig(0, around)
  const salt = nameSessionCookie(around.setting)
  for (const person of people) {
    if (person.password === null) continue
    const userId = passwordUserId(person)
    around.model.sessions.set(
      await encode({ token: { sub: userId }, secret: String(secret), salt }),
      createFormer(userId),
    )
  }
  wait(2 * (trackedSince.valueOf() - beginning))
}

interface NetworkParts {
  readonly service: (browser: VisitorBrowser, request: Request) => Promise<Response>
  readonly setting: Setting
  readonly scheduler: Scheduler
  readonly providers: readonly SimulatedProvider[]
  readonly knowledge: Knowledge
  readonly attacker: Person
}

/** Paths of the host, outside of the service. */
const hostPaths: ReadonlySet<string> = new Set([supportPath, apiPath, deletionJobPath, importPath])

/** Answers every origin that a browser can reach. */
function serve(parts: NetworkParts, browser: VisitorBrowser, request: Request): Response | Promise<Response> {
  const url = new URL(request.url)
  const isService = /^[/](?:auth|half)[/]/.test(url.pathname) || hostPaths.has(url.pathname)
  if (url.origin === appOrigin && isService) return parts.service(browser, request)
  const provider = parts.providers.find(({ origin }) => origin === url.origin)
  if (appOrigins.includes(url.origin)) receiveCode(parts, browser, url)
  if (!provider) return new Response("<title>A page</title>", { headers: { "content-type": "text/html" } })
  if (url.pathname === "/logout") return redirectTo(provider.endSession(url))
  const identity = browser.identities.get(provider.id) ?? provider.identityOf(browser.person)
  const target = provider.authorize(url, identity)
  // Only of what the person began: with the code of a sign-in that the attacker began, nothing can protect anyone.
  const isOwn = parts.scheduler.running()?.activity.person === browser.person
  if (isOwn && browser.person !== parts.attacker && parts.knowledge.isListening) {
    parts.knowledge.callbacks.push(target.href)
    // Every second one reaches the attacker alone, so that its code is not used yet.
    if (parts.knowledge.callbacks.length % 2 === 1) return new Response(null, { status: 204 })
  }
  browser.history.push(target.href)
  return redirectTo(target)
}

/** The browser opens a native app. Where callbacks leak, another program of the device sees the address as well, or instead. */
function receiveCode({ knowledge, attacker }: NetworkParts, { arrivals, person }: VisitorBrowser, { href }: URL): void {
  const isLeaked = knowledge.isListening && person !== attacker
  if (isLeaked) knowledge.appCodes.push(href)
  if (!isLeaked || knowledge.appCodes.length % 2 === 0) arrivals.push(href)
}

function redirectTo({ href }: URL): Response {
  return new Response(null, { status: 302, headers: { location: href } })
}
