import type { Adapter } from "@latchkey/core/adapters"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords, { type AddressedMail } from "@latchkey/core/providers/passwords"
import { type Browser, memoryAdapter, passkeyClient, softwareAuthenticator, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { address, cheap, forget, isSignedIn, newPassword, password, signIn } from "../setup/password-setup.js"
import { type Answer, post } from "../setup/requests.js"
import { passwordProvider, pathOfPage } from "../setup/sign-ins.js"

const signUpPath = "/auth/password/sign-up"
const notLinked = "/auth/signin?error=OAuthAccountNotLinked"

/** One-time failures of the store. */
interface Failures {
  /** Methods that fail. */
  readonly fails: Set<keyof Adapter>
  /** Methods that do their work, and lose the connection before the answer. */
  readonly losesAnswerOf: Set<keyof Adapter>
  /** What happens before the next call of a method. */
  readonly before: { [Method in keyof Adapter]?: () => Promise<unknown> }
}

function failing(adapter: Partial<Adapter>, failures: Failures): Partial<Adapter> {
  const { fails, losesAnswerOf, before } = failures
  const wrapped = Object.entries(adapter).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      const key = name as keyof Adapter // as: the keys of an adapter are its methods
      if (fails.has(key)) throw new Error("the connection was cut")
      const first = before[key]
      delete before[key]
      await first?.()
      const [work] = args as [Work] // as: the parameter of `transaction`
      const given = name === "transaction" ? [(inner: Adapter) => work(failing(inner, failures))] : args
      const result: unknown = await Reflect.apply(method as () => unknown, undefined, given) // as: a method
      if (losesAnswerOf.has(key)) throw new Error("the connection was cut")
      return result
    },
  ])
  return Object.fromEntries(wrapped)
}

type Work = (adapter: Partial<Adapter>) => Promise<unknown>

interface StageOptions {
  readonly hasTransactions?: boolean
  /** Methods that the adapter lacks. */
  readonly without?: readonly (keyof Adapter)[]
  /** Whether the app checks passwords itself, too. */
  readonly hasOwnPasswords?: boolean
}

/** All ways to sign up, over a store that can be cut off. */
function openStage({ hasTransactions = false, without = [], hasOwnPasswords = false }: StageOptions = {}) {
  const { calls, ...stored } = memoryAdapter()
  const lacks = [...without, ...(hasTransactions ? [] : (["transaction"] as const))]
  const has = ([name]: [string, unknown]) => !lacks.includes(name as keyof Adapter) // as: an adapter has only methods
  const failures: Failures = { fails: new Set(), losesAnswerOf: new Set(), before: {} }
  const mails: AddressedMail[] = []
  const host = openHost({
    adapter: failing(Object.fromEntries(Object.entries(stored).filter(has)), failures),
    providers: ({ idp }) => [
      Passwords({ mail: { send: (mail) => void mails.push(mail) }, breached: false, hash: cheap }),
      testEmail(),
      Passkey({}),
      idp.provider(),
      ...(hasOwnPasswords ? [passwordProvider()] : []),
    ],
  })
  host.idp.signInAs({ sub: "ada", name: "Ada", email: address })
  const lastMail = () => mails.findLast(({ to }) => to === address)?.text ?? ""
  return {
    host,
    stored,
    calls,
    ...failures,
    /** The code of the last mail; empty if it has none. */
    lastCode: () => /^\d{6}$/m.exec(lastMail())?.[0] ?? "",
    signUpByOAuth: (browser = host.newBrowser()) => browser.signIn("oidc", { callbackUrl: "/in" }),
    /** The store goes down after it has stored a user who signs up at the provider, and comes back. */
    async cutOffSignUp(): Promise<void> {
      for (const method of ["linkAccount", "deleteUser"] as const) failures.fails.add(method)
      await host.newBrowser().signIn("oidc")
      failures.fails.clear()
      host.events.clear()
    },
  }
}

type Stage = ReturnType<typeof openStage>

async function signUpByPassword({ lastCode }: Stage, browser: Browser): Promise<Answer> {
  await post(browser, signUpPath, { email: address, password })
  return post(browser, signUpPath, { code: lastCode() })
}

async function resetPassword({ lastCode }: Stage, browser: Browser): Promise<Answer> {
  await forget(browser)
  return post(browser, "/auth/password/reset", { code: lastCode(), password: newPassword })
}

async function followLink({ host }: Stage, browser: Browser): Promise<unknown> {
  await browser.signIn("email", { email: address })
  return browser.open(host.mailbox.lastLink())
}

const signUps: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  OAuth: ({ signUpByOAuth }) => signUpByOAuth(),
  "a password": (stage) => signUpByPassword(stage, stage.host.newBrowser()),
  "a passkey": ({ host }) =>
    passkeyClient({ browser: host.newBrowser(), device: softwareAuthenticator(), providerId: "passkey" }).register(
      address,
    ),
}

describe.each(Object.entries(signUps))("a sign-up with %s", (name, signUp) => {
  const ways = { OAuth: "linkAccount", "a password": "setPassword", "a passkey": "createAuthenticator" } as const
  const wayIn = ways[name as keyof typeof ways] // as: the names are the same

  it.each(["createUser", wayIn, "transaction"] as const)(
    "LINK-13: leaves no user in a store with transactions when %s fails, and works again",
    async (method) => {
      const stage = openStage({ hasTransactions: true })
      stage.fails.add(method)
      await signUp(stage)
      expect(await stage.stored.getUserByEmail(address)).toBeNull()
      expect(stage.host.events.of("createUser")).toEqual([])
      stage.fails.clear()
      await signUp(stage)
      expect(await stage.stored.getUserByEmail(address)).not.toBeNull()
      expect(stage.host.events.of("createUser")).toHaveLength(1)
    },
  )

  it("LINK-13: succeeds if only the answer to the commit is lost", async () => {
    const stage = openStage({ hasTransactions: true })
    stage.losesAnswerOf.add("transaction")
    await signUp(stage)
    expect(stage.host.events.of("createUser")).toHaveLength(1)
    expect(stage.host.events.of("signIn")).toMatchObject([{ isNewUser: true }])
  })

  it("LINK-13: removes the user from a store without transactions when the way in cannot be stored", async () => {
    const stage = openStage()
    stage.fails.add(wayIn)
    await signUp(stage)
    expect(await stage.stored.getUserByEmail(address)).toBeNull()
    stage.fails.clear()
    await signUp(stage)
    expect(stage.host.events.of("signIn")).toHaveLength(1)
  })

  it("LINK-13: leaves a user who can be finished when that user cannot be removed either", async () => {
    const stage = openStage()
    for (const method of [wayIn, "deleteUser"] as const) stage.fails.add(method)
    await signUp(stage)
    stage.fails.clear()
    const left = await stage.stored.getUserByEmail(address)
    expect(left).toMatchObject({ emailVerified: null })
    const browser = stage.host.newBrowser()
    await signUpByPassword(stage, browser)
    expect((await browser.session())?.user?.email).toBe(address)
    expect((await stage.stored.getUserByEmail(address))?.id).toBe(left?.id)
  })
})

const proofs: Readonly<Record<string, (stage: Stage, browser: Browser) => Promise<unknown>>> = {
  "the code of a sign-up": signUpByPassword,
  "a forgotten password": resetPassword,
  "a mailed link": followLink,
}

describe.each(Object.entries(proofs))("an unfinished user, given %s", (_, prove) => {
  it("LINK-13: is finished, verified, and signed in", async () => {
    const stage = openStage()
    await stage.cutOffSignUp()
    const left = await stage.stored.getUserByEmail(address)
    const browser = stage.host.newBrowser()
    await prove(stage, browser)
    expect((await browser.session())?.user?.email).toBe(address)
    const user = await stage.stored.getUserByEmail(address)
    expect(user?.id).toBe(left?.id)
    expect(user?.emailVerified).toBeInstanceOf(Date)
    expect(stage.host.events.of("createUser")).toEqual([])
    expect(stage.host.events.of("updateUser")).toHaveLength(1)
  })

  it.each(["account", "passkey", "factor", "session", "verification"] as const)(
    "LINK-13, PASS-01: gets no password into an account with a stored %s",
    async (row) => {
      const stage = openStage()
      const { stored } = stage
      const { id: userId } = await stored.createUser({ id: "u-1", email: address, emailVerified: null })
      await addRow[row](stored, userId)
      await prove(stage, stage.host.newBrowser())
      expect(await stored.getPassword(userId)).toBeNull()
    },
  )
})

type Stored = Stage["stored"]

const addRow = {
  account: (stored: Stored, userId: string) =>
    stored.linkAccount({ userId, provider: "oidc", providerAccountId: "mallory", type: "oidc" }),
  passkey: (stored: Stored, userId: string) =>
    stored.createAuthenticator({
      ...{ credentialID: "c", credentialPublicKey: "k", counter: 0, credentialDeviceType: "singleDevice" },
      ...{ credentialBackedUp: false, transports: null, providerAccountId: "c", userId },
    }),
  factor: (stored: Stored, userId: string) =>
    stored.createFactor({
      ...{ id: "f", userId, kind: "totp", secret: "s", label: null, lastStep: null, version: 0 },
      ...{ createdAt: new Date(), lastUsedAt: null },
    }),
  session: (stored: Stored, userId: string) =>
    stored.createSessionDetail({
      ...{ id: "s", userId, sessionToken: null, provider: "oidc", providerAccountId: "mallory", amr: "fed" },
      ...{
        providerSession: null,
        createdAt: new Date(),
        lastSeenAt: new Date(),
        expires: new Date(Date.now() + 60_000),
      },
      ...{ userAgent: null, network: null, label: null },
    }),
  // A user whom the app prepared, as the guide on accounts shows.
  verification: (stored: Stored, userId: string) =>
    stored.markEmailVerified({ userId, email: address, provider: "app" }),
}

describe("an unfinished user", () => {
  it("LINK-02, LINK-13: is not given to a sign-in at a provider", async () => {
    const stage = openStage()
    await stage.cutOffSignUp()
    const browser = stage.host.newBrowser()
    expect(pathOfPage(await stage.signUpByOAuth(browser))).toBe(notLinked)
    expect(await isSignedIn(browser)).toBe(false)
    expect(await stage.stored.listAccountsByUserId((await stage.stored.getUserByEmail(address))?.id ?? "")).toEqual([])
  })

  it("LINK-13: is not given to someone who guesses, and not to a password alone", async () => {
    const stage = openStage()
    await stage.cutOffSignUp()
    const browser = stage.host.newBrowser()
    await post(browser, signUpPath, { email: address, password })
    const guess = stage.lastCode() === "000000" ? "000001" : "000000"
    await post(browser, signUpPath, { code: guess })
    await signIn(browser)
    expect(await isSignedIn(browser)).toBe(false)
    expect(await stage.stored.getUserByEmail(address)).toMatchObject({ emailVerified: null })
  })

  it.each<[string, StageOptions]>([
    ["the store cannot list accounts", { without: ["listAccountsByUserId"] }],
    ["the store cannot take back an account", { without: ["unlinkAccount"] }],
    ["the store cannot take back a passkey", { without: ["deleteAuthenticator"] }],
    ["the app checks passwords itself", { hasOwnPasswords: true }],
  ])("LINK-13: is not recognized where %s", async (_, options) => {
    const stage = openStage(options)
    await stage.cutOffSignUp()
    for (const prove of Object.values(proofs)) {
      const browser = stage.host.newBrowser()
      await prove(stage, browser)
      expect(await isSignedIn(browser)).toBe(false)
    }
  })

  it("LINK-13: is finished once by two codes of one mailbox", async () => {
    const stage = openStage()
    await stage.cutOffSignUp()
    const browsers = [stage.host.newBrowser(), stage.host.newBrowser()] as const
    const codes: string[] = []
    for (const browser of browsers) {
      await post(browser, signUpPath, { email: address, password })
      codes.push(stage.lastCode())
    }
    await Promise.all(browsers.map((browser, n) => post(browser, signUpPath, { code: codes[n] ?? "" })))
    expect((await Promise.all(browsers.map(isSignedIn))).filter(Boolean)).toHaveLength(1)
  })

  it.each(Object.entries(proofs))("LINK-13: loses the account of a slow sign-up after %s", async (_, prove) => {
    const stage = openStage()
    const owner = stage.host.newBrowser()
    stage.before.linkAccount = () => prove(stage, owner)
    expect(pathOfPage(await stage.signUpByOAuth())).toBe(notLinked)
    expect(await isSignedIn(owner)).toBe(true)
    const user = await stage.stored.getUserByEmail(address)
    expect(await stage.stored.listAccountsByUserId(user?.id ?? "")).toEqual([])
  })

  it.each(Object.entries(proofs))("LINK-13: is kept from an owner if an account comes during %s", async (_, prove) => {
    const stage = openStage()
    await stage.cutOffSignUp()
    const user = await stage.stored.getUserByEmail(address)
    stage.before.updateUser = async () => addRow.account(stage.stored, user?.id ?? "")
    const owner = stage.host.newBrowser()
    await prove(stage, owner)
    expect(await isSignedIn(owner)).toBe(false)
    expect(await stage.stored.getUser(user?.id ?? "")).toMatchObject({ emailVerified: null })
    expect(await stage.stored.getPassword(user?.id ?? "")).toBeNull()
  })
})

describe("a user of mailed links who is signed out", () => {
  it("PASS-01, LINK-13: gets no password by the mailbox alone", async () => {
    const stage = openStage()
    await followLink(stage, stage.host.newBrowser())
    const user = await stage.stored.getUserByEmail(address)
    for (const prove of [signUpByPassword, resetPassword]) await prove(stage, stage.host.newBrowser())
    expect(await stage.stored.getPassword(user?.id ?? "")).toBeNull()
    const browser = stage.host.newBrowser()
    expect(pathOfPage(await stage.signUpByOAuth(browser))).toBe(notLinked)
  })
})
