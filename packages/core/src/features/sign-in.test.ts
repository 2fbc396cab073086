import { recordingEvents, recordingLogger } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { oauthProof, recordSteps } from "../../test/setup/account-setup.js"
import { failureOf } from "../../test/setup/failure-of.js"
import { keptCookies } from "../../test/setup/kept-cookies.js"
import { methodDeps } from "../../test/setup/method-setup.js"
import { authRequestTo } from "../../test/setup/requests.js"
import { sessionCookie } from "../../test/setup/session-setup.js"
import type { CredentialsProof, EmailProof, OAuthProof, Proof } from "../account/proof.js"
import { createCallbackUrls } from "../checks/callback-url.js"
import { AccessDenied, Verification } from "../errors/errors.js"
import { createPermission, resolveCallbacks } from "../host/callbacks.js"
import { createEvents } from "../host/events.js"
import { createStore, type Store } from "../host/store.js"
import { resolveCookies } from "../http/own-cookies.js"
import { createLog } from "../log/log.js"
import { credentialsSteps } from "../methods/credentials/steps.js"
import { emailSteps } from "../methods/email/steps.js"
import { oauthSteps } from "../methods/oauth/steps.js"
import type { SignInSteps } from "../methods/steps.js"
import { databaseSessions } from "../session/database.js"
import { jwtSessions } from "../session/jwt.js"
import { createLifetime } from "../session/session.js"
import type { CallbacksOptions, SignInParams } from "../types/callbacks.js"
import { completeSignIn } from "./sign-in.js"

const secret = "a secret of at least thirty-two characters"
const cookies = resolveCookies(undefined, { isSecure: true })
const newUser = { id: "made-up", email: "vera@corp.test", emailVerified: null }
const emailProof: EmailProof = {
  candidate: newUser,
  user: newUser,
  isKnown: false,
  achieved: ["email"],
  knownUserId: undefined,
  dependsOnSession: false,
  account: { provider: "email", providerAccountId: "vera@corp.test", type: "email", userId: "made-up" },
}
const credentialsProof: CredentialsProof = {
  candidate: { id: "vera", name: "Vera" },
  user: { id: "vera", name: "Vera" },
  achieved: ["pwd"],
  knownUserId: "vera",
  dependsOnSession: false,
  account: { provider: "cred", providerAccountId: "vera", type: "credentials" },
  credentials: { password: "hunter2" },
}

interface Host {
  readonly callbacks?: Partial<CallbacksOptions>
  readonly strategy?: "stored" | "stateless"
  readonly newUserPage?: string
  readonly hasStore?: boolean
}

/** The dependencies of `completeSignIn`. Each call is recorded as a step. */
function setUp({ callbacks = {}, strategy = "stored", newUserPage, hasStore = true }: Host = {}) {
  const steps: string[] = []
  const stored = memoryAdapter()
  const browser = keptCookies()
  const step = (name: string) => async () => void steps.push(`event ${name}`)
  const events = recordingEvents({
    createUser: step("createUser"),
    updateUser: step("updateUser"),
    linkAccount: step("linkAccount"),
    signIn: step("signIn"),
  })
  const given = resolveCallbacks({ ...callbacks, ...recordCallbacks(callbacks, steps) })
  const log = createLog(recordingLogger())
  const store = createStore(adapterOf(stored, steps), log)
  const hostEvents = createEvents(events.handlers, log)
  const needs = {
    permission: createPermission(given),
    sessions: buildSessions(strategy, store),
    events: hostEvents,
    callbackUrls: createCallbackUrls(cookies.callbackUrl, given, log),
    newUserPage,
  }

  function buildSessions(kind: "stored" | "stateless", store: Store) {
    const lifetime = createLifetime({ clock: Date.now, maxAge: 60 })
    const deps = { cookie: sessionCookie, lifetime, callbacks: given, events: hostEvents, log }
    const jwt = { secrets: [secret], maxAge: 60, encode: undefined, decode: undefined }
    return kind === "stateless"
      ? jwtSessions({ ...jwt, getUser: async (id) => store.getUser(id) }, deps)
      : databaseSessions({ store, updateAge: 0, generateSessionToken: () => crypto.randomUUID() }, deps)
  }

  const deps = methodDeps({}, { store: hasStore ? store : null, log })
  const oauth = oauthSteps(deps)

  /** The proof that `prove` returns, with the owner of the account. */
  async function withOwner(proof: Proof): Promise<Proof> {
    if (!("selectTokens" in proof) || !hasStore) return proof
    const { provider, providerAccountId } = proof.account
    const accountOwner = (await store.getUserByAccount({ provider, providerAccountId })) ?? null
    const known = { candidate: accountOwner ?? proof.candidate, knownUserId: accountOwner?.id }
    const initiatorId = (await needs.sessions.findUser(browser.jar()))?.id ?? null
    return { ...proof, accountOwner, initiatorId, ...known } as OAuthProof
  }

  /** The steps of the method of the proof. */
  function stepsOf(proof: Proof): Pick<SignInSteps, "resolveUser"> {
    if ("selectTokens" in proof) return oauth
    return "isKnown" in proof ? emailSteps(deps) : credentialsSteps(deps)
  }

  async function complete(
    given: Proof,
    { callbackUrl, path = "/auth/callback/x" }: { callbackUrl?: string; path?: string } = {},
  ) {
    const request = await authRequestTo(path, { cookie: browser.header() })
    const proof = await withOwner(given)
    const reply = await completeSignIn({ proof, callbackUrl, cookies: [] }, stepsOf(proof), request, needs)
    browser.keep(reply.cookies)
    return reply
  }

  return { complete, steps, stored, events, browser, findUser: () => needs.sessions.findUser(browser.jar()) }
}

/** Without transactions, whose calls are not recorded. */
function adapterOf({ calls: _, transaction: __, ...methods }: MemoryAdapter, steps: string[]) {
  return recordSteps(methods, steps)
}

function recordCallbacks(callbacks: Partial<CallbacksOptions>, steps: string[]): Partial<CallbacksOptions> {
  return {
    signIn: async (params) => {
      steps.push("ask signIn")
      return callbacks.signIn ? callbacks.signIn(params) : true
    },
    jwt: async (params) => {
      steps.push("ask jwt")
      return callbacks.jwt ? callbacks.jwt(params) : params.token
    },
  }
}

describe("completeSignIn: rejections", () => {
  it.each([
    ["false", () => false],
    ["nothing", () => undefined as never],
    ["null", () => null as never],
    ["an empty text", () => ""],
    ["an error", () => Promise.reject(new Error("ldap is away"))],
  ])("ADP-14: writes nothing and starts no session when the signIn callback answers %s", async (_, signIn) => {
    for (const strategy of ["stored", "stateless"] as const) {
      const { complete, steps, browser, events } = setUp({ callbacks: { signIn }, strategy })
      expect((await failureOf(complete(oauthProof()))).error.type).toBe("AccessDenied")
      expect(steps).toEqual(["getUserByAccount", "ask signIn"])
      expect([browser.names(), events.names()]).toEqual([[], []])
    }
  })

  it("keeps an AuthError that the signIn callback throws", async () => {
    const { complete } = setUp({ callbacks: { signIn: () => Promise.reject(new Verification("later")) } })
    expect((await failureOf(complete(credentialsProof))).error.type).toBe("Verification")
  })

  it("LINK-06: keeps the current session when the account belongs to another user", async () => {
    const { complete, stored, browser, findUser } = setUp()
    await complete(oauthProof({ sub: "vera's", email: "vera@corp.test" }))
    const own = browser.header()
    await stored.createUser({ id: "walt", email: "walt@corp.test", emailVerified: null })
    await stored.linkAccount({ provider: "oidc", providerAccountId: "walt's", type: "oidc", userId: "walt" })
    const { error } = await failureOf(complete(oauthProof({ sub: "walt's", email: "walt@corp.test" })))
    expect(error.type).toBe("OAuthAccountNotLinked")
    expect(browser.header()).toBe(own)
    expect((await findUser())?.id).toBe("made-up")
  })

  it("sends no signIn event when the session cannot be started", async () => {
    const { complete, events } = setUp()
    expect((await failureOf(complete(credentialsProof))).error.type).toBe("InvalidConfiguration")
    expect(events.names()).toEqual([])
  })
})

describe("completeSignIn: order", () => {
  const firstTime = [
    "getUserByAccount",
    "ask signIn",
    "getUserByEmail",
    "createUser",
    "event createUser",
    "linkAccount",
    // Whether the owner of the mailbox finished the user in between.
    "getUser",
    "event linkAccount",
  ]

  it("database sessions: signIn callback, user, account, session, signIn event", async () => {
    const { complete, steps } = setUp()
    await complete(oauthProof())
    expect(steps).toEqual([...firstTime, "createSession", "event signIn"])
  })

  it("jwt sessions: signIn callback, user, account, jwt callback, signIn event", async () => {
    const { complete, steps } = setUp({ strategy: "stateless" })
    await complete(oauthProof())
    expect(steps).toEqual([...firstTime, "ask jwt", "event signIn"])
  })

  it("verifies the address of an email sign-in before the session starts", async () => {
    const { complete, steps, stored } = setUp()
    await complete(emailProof)
    expect(steps).toEqual(["ask signIn", "createUser", "event createUser", "createSession", "event signIn"])
    steps.splice(0)
    const vera = (await stored.getUserByEmail("vera@corp.test")) ?? emailProof.user
    await complete({
      ...emailProof,
      candidate: vera,
      user: vera,
      isKnown: true,
      knownUserId: vera.id,
      dependsOnSession: false,
    } as EmailProof)
    expect(steps).toEqual([
      "ask signIn",
      "updateUser",
      "event updateUser",
      "getSessionAndUser",
      "createSession",
      "deleteSession",
      "event signIn",
    ])
  })

  it("calls no adapter method for credentials with jwt sessions", async () => {
    const { complete, steps } = setUp({ strategy: "stateless" })
    await complete(credentialsProof)
    expect(steps).toEqual(["ask signIn", "ask jwt", "event signIn"])
  })

  it("sends only the signIn event for a known account", async () => {
    const { complete, events, browser } = setUp()
    await complete(oauthProof())
    events.clear()
    browser.keep(browser.names().map((name) => ({ name, value: "", options: { maxAge: 0 } })))
    await complete(oauthProof())
    expect(events.names()).toEqual(["signIn"])
  })
})

describe("completeSignIn: callbacks and events", () => {
  it("passes the stored user to the signIn callback, or the provider's user if the account is unknown", async () => {
    const asked: SignInParams[] = []
    const { complete, stored } = setUp({ callbacks: { signIn: (params) => asked.push(params) > 0 } })
    const proof = oauthProof()
    await complete(proof)
    await complete(proof)
    const known = await stored.getUser("made-up")
    const { account, profile } = proof
    expect(asked).toStrictEqual([
      { user: proof.user, account, profile },
      { user: known, account, profile },
    ])
  })

  it("passes no verificationRequest for a followed link, and passes submitted credentials", async () => {
    const asked: SignInParams[] = []
    const { complete } = setUp({ callbacks: { signIn: (params) => asked.push(params) > 0 }, strategy: "stateless" })
    await complete(emailProof)
    await complete(credentialsProof)
    expect(asked).toStrictEqual([
      { user: emailProof.user, account: emailProof.account },
      { user: credentialsProof.user, account: credentialsProof.account, credentials: { password: "hunter2" } },
    ])
  })

  it("sends the signIn event with the user, the account with all tokens, the profile and isNewUser", async () => {
    const { complete, events, stored } = setUp()
    const proof = oauthProof()
    await complete(proof)
    await complete(proof)
    const user = await stored.getUser("made-up")
    const { account, profile } = proof
    expect(events.of("signIn")).toStrictEqual([
      { user, account, profile, isNewUser: true },
      { user, account, profile, isNewUser: false },
    ])
  })

  it("sends the signIn event for credentials with the user and the account only", async () => {
    for (const hasStore of [true, false]) {
      const { complete, events } = setUp({ strategy: "stateless", hasStore })
      await complete(credentialsProof)
      expect(events.of("signIn")).toStrictEqual([{ user: credentialsProof.user, account: credentialsProof.account }])
    }
  })

  it("omits isNewUser without an adapter", async () => {
    const { complete, events } = setUp({ strategy: "stateless", hasStore: false })
    const proof = oauthProof()
    await complete(proof)
    expect(events.of("signIn")).toStrictEqual([{ user: proof.user, account: proof.account, profile: proof.profile }])
  })
})

describe("completeSignIn: redirect", () => {
  it("redirects to the flow's callback URL, else the request's, else the app's root", async () => {
    const { complete } = setUp()
    expect((await complete(oauthProof(), { callbackUrl: "https://app.test/a" })).redirect).toBe("https://app.test/a")
    expect((await complete(oauthProof(), { callbackUrl: "https://evil.test/a" })).redirect).toBe("https://app.test")
    const path = "/auth/callback/x?callbackUrl=/b"
    expect((await complete(oauthProof(), { path })).redirect).toBe("https://app.test/b")
    expect((await complete(oauthProof(), { callbackUrl: "https://app.test/a", path })).redirect).toBe(
      "https://app.test/a",
    )
  })

  it("MAIL-19: ignores a callback URL in a link that was changed to another site", async () => {
    const { complete } = setUp()
    const path = "/auth/callback/email?callbackUrl=https%3A%2F%2Fevil.test"
    expect((await complete(emailProof, { path })).redirect).toBe("https://app.test")
  })

  it("URL-17: redirects to the URL of the signIn callback through the redirect policy, without a session", async () => {
    for (const [answer, target] of [
      ["/pay-first", "https://app.test/pay-first"],
      ["//evil.test", "https://app.test//evil.test"],
      ["https://evil.test/", "https://app.test"],
    ]) {
      const { complete, steps } = setUp({ callbacks: { signIn: () => answer ?? "" } })
      const { redirect, cookies = [] } = await complete(oauthProof())
      expect([redirect, cookies]).toEqual([target, []])
      expect(steps).toEqual(["getUserByAccount", "ask signIn"])
    }
  })

  it("URL-20: redirects only new users to the app's page, with the callback URL as one value", async () => {
    const { complete, browser } = setUp({ newUserPage: "/welcome?x=1" })
    const callbackUrl = "https://app.test/a?b=c&d=#f"
    const target = `/welcome?x=1&callbackUrl=${encodeURIComponent(callbackUrl)}`
    expect((await complete(oauthProof(), { callbackUrl })).redirect).toBe(target)
    browser.keep(browser.names().map((name) => ({ name, value: "", options: { maxAge: 0 } })))
    expect((await complete(oauthProof(), { callbackUrl })).redirect).toBe(callbackUrl)
    const stateless = setUp({ newUserPage: "/welcome", strategy: "stateless", hasStore: false })
    expect((await stateless.complete(credentialsProof, { callbackUrl })).redirect).toBe(callbackUrl)
    expect((await stateless.complete(oauthProof(), { callbackUrl })).redirect).toBe(callbackUrl)
  })

  it("sets the session cookie and the callback URL cookie", async () => {
    const { complete, browser } = setUp()
    await complete(oauthProof(), { path: "/auth/callback/x?callbackUrl=/b" })
    expect(browser.names()).toEqual([cookies.callbackUrl.name, sessionCookie.name])
  })
})

describe("completeSignIn: with a current session", () => {
  it.each([
    ["stored", ["createSession", "deleteSession"]],
    ["stateless", []],
  ] as const)("DBS-11: links the account to the current user, and renews a %s session", async (strategy, renewal) => {
    const { complete, stored, events, findUser } = setUp({ strategy })
    await complete(oauthProof())
    const before = stored.calls.length
    events.clear()
    await complete(oauthProof({ provider: "other", sub: "9", email: "else@corp.test" }))
    expect(events.names()).toEqual(["linkAccount", "signIn"])
    const written = stored.calls.slice(before).map(({ method }) => method)
    expect(written.filter((method) => method.endsWith("eSession"))).toEqual(renewal)
    expect((await stored.getUserByAccount({ provider: "other", providerAccountId: "9" }))?.id).toBe("made-up")
    expect((await findUser())?.id).toBe("made-up")
  })

  it("LINK-10: links nothing to a user whose session has ended", async () => {
    const { complete, stored, browser } = setUp()
    await complete(oauthProof())
    await stored.deleteSession(browser.get(sessionCookie.name) ?? "")
    const { error } = await failureOf(complete(oauthProof({ provider: "other", sub: "9" })))
    expect(error.type).toBe("OAuthAccountNotLinked")
    expect(await stored.getUserByAccount({ provider: "other", providerAccountId: "9" })).toBeNull()
  })

  it("ignores the current session for emails and credentials", async () => {
    const { complete, findUser, stored, browser } = setUp()
    await complete(oauthProof({ email: "walt@corp.test" }))
    const old = browser.get(sessionCookie.name) ?? ""
    await complete({ ...emailProof, user: { ...emailProof.user, id: "vera" } } as EmailProof)
    expect((await findUser())?.id).toBe("vera")
    expect(await stored.getSessionAndUser(old)).toBeNull()
  })
})

describe("AccessDenied", () => {
  it("has the error of the callback as its cause", async () => {
    const cause = new Error("ldap is away")
    const { complete } = setUp({ callbacks: { signIn: () => Promise.reject(cause) } })
    const { error } = await failureOf(complete(oauthProof()))
    expect(error).toBeInstanceOf(AccessDenied)
    expect([error.message, error.cause?.["err"]]).toEqual(["ldap is away", cause])
  })
})
