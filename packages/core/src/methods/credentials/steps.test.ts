import { recordingLogger } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { failureOf } from "../../../test/setup/failure-of.js"
import { methodDeps } from "../../../test/setup/method-setup.js"
import { authRequestTo, type TestRequestOptions } from "../../../test/setup/requests.js"
import type { CredentialsProof } from "../../account/proof.js"
import { AuthError } from "../../errors/auth-error.js"
import { CredentialsSignin } from "../../errors/errors.js"
import { createEvents } from "../../host/events.js"
import { createLog } from "../../log/log.js"
import type { CredentialsConfig } from "../../types/providers.js"
import type { Proven } from "../steps.js"
import { credentialsMethod } from "./credentials.js"
import { canReadRequest, credentialsSteps } from "./steps.js"

type Authorize = NonNullable<CredentialsConfig["authorize"]>

function setUp(authorize?: (...params: Parameters<Authorize>) => unknown) {
  const seen: { readonly credentials: unknown; readonly request: Request }[] = []
  const provider: CredentialsConfig = {
    id: "cred",
    name: "Password",
    type: "credentials",
    ...(authorize && {
      authorize: async (credentials, request) => {
        seen.push({ credentials, request })
        return authorize(credentials, request) as ReturnType<Authorize> // A host in plain JavaScript can return any value.
      },
    }),
  }
  const method = credentialsSteps(methodDeps())
  async function prove(options: TestRequestOptions = { form: { u: "v", p: "right" } }, query = "") {
    const outcome = await method.prove(await authRequestTo(`/auth/callback/cred${query}`, options), provider)
    if (!("proof" in outcome)) throw new TypeError("it was passed on without a proof")
    return outcome as Proven<CredentialsProof>
  }
  return { method, provider, prove, seen }
}

const vera = () => ({ id: "vera", name: "Vera" })

describe("credentialsSteps: rejections", () => {
  it.each([null, undefined, false, 0, ""])("CRED-01: rejects the sign-in when authorize returns %j", async (answer) => {
    const { error } = await failureOf(setUp(() => answer).prove())
    expect(error).toMatchObject({ type: "CredentialsSignin", code: "credentials", cause: { provider: "cred" } })
  })

  it("CRED-01: keeps the code of a CredentialsSignin that authorize throws", async () => {
    class Locked extends CredentialsSignin {
      override code = "locked"
    }
    const { error } = await failureOf(
      setUp(() => {
        throw new Locked()
      }).prove(),
    )
    expect(error).toBeInstanceOf(Locked)
    expect(error).toHaveProperty("code", "locked")
  })

  it("keeps any AuthError that authorize throws", async () => {
    const own = new AuthError("own")
    expect((await failureOf(setUp(() => Promise.reject(own)).prove())).error).toBe(own)
  })

  it("CRED-02: wraps any other error of authorize, unchanged", async () => {
    const cause = new Error("SELECT password FROM users")
    const { error } = await failureOf(setUp(() => Promise.reject(cause)).prove())
    expect(error.type).toBe("CallbackRouteError")
    expect(error.cause).toMatchObject({ provider: "cred", reason: "callback-threw" })
    expect(error.cause?.["err"]).toBe(cause)
    expect(error.message).not.toContain("SELECT")
  })

  it("CRED-05: omits a thrown value that is not an error from the message", async () => {
    const { error } = await failureOf(setUp(() => Promise.reject("wrong password: hunter2")).prove())
    expect(`${error.type} ${error.message} ${String(error.cause?.["err"])}`).not.toContain("hunter2")
  })

  it.each([[{ id: "" }], [{ id: {} }], [{ id: null }], [{ id: true }], [[]], [["vera"]], [true], ["vera"], [7]])(
    "CRED-06: refuses %j as a user",
    async (answer) => {
      expect((await failureOf(setUp(() => answer).prove())).error.type).toBe("CallbackRouteError")
    },
  )

  it("rejects the sign-in without an authorize callback", async () => {
    expect((await failureOf(setUp().prove())).error.type).toBe("CredentialsSignin")
  })
})

describe("credentialsSteps", () => {
  it("returns a proof with the user of authorize and the contract's account", async () => {
    const { prove } = setUp(vera)
    expect(await prove({ form: { u: "v", p: "right", csrfToken: "t", callbackUrl: "/x" } })).toStrictEqual({
      proof: {
        candidate: { id: "vera", name: "Vera" },
        user: { id: "vera", name: "Vera" },
        achieved: ["pwd"],
        knownUserId: "vera",
        dependsOnSession: false,
        account: { providerAccountId: "vera", type: "credentials", provider: "cred" },
        credentials: { u: "v", p: "right" },
      },
      callbackUrl: undefined,
      cookies: [],
    })
  })

  it("converts a numeric id to text, and creates a random id if there is none", async () => {
    expect((await setUp(() => ({ id: 7 })).prove()).proof.user.id).toBe("7")
    expect((await setUp(() => ({ id: 0 })).prove()).proof.account.providerAccountId).toBe("0")
    const { prove } = setUp(() => ({ name: "Guest" }))
    const { user, account } = (await prove()).proof
    expect(user.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(account.providerAccountId).toBe(user.id)
    expect((await prove()).proof.user.id).not.toBe(user.id)
  })

  it("CRED-10: passes the submitted fields to authorize, without the form's own", async () => {
    const { prove, seen } = setUp(vera)
    await prove({ form: { u: "v", p: "x", csrfToken: "t", callbackUrl: "/x", json: "true" } })
    await prove({ json: { u: "v", remember: true, csrfToken: "t" } })
    expect(seen.map(({ credentials }) => credentials)).toStrictEqual([
      { u: "v", p: "x" },
      { u: "v", remember: "true" },
    ])
  })

  it("CRED-07: passes a password unchanged", async () => {
    const passwords = [
      "x".repeat(64),
      "x".repeat(128),
      "  both ends  ",
      "\u{1F511}\u{1F468}\u200D\u{1F469}",
      "a\0b",
      "e\u0301",
      "\u00E9",
      "%41&+=;",
    ]
    const { prove, seen } = setUp(vera)
    for (const password of passwords) {
      await prove({ form: { password } })
      await prove({ json: { password } })
    }
    const expected = passwords.flatMap((password) => [{ password }, { password }])
    expect(seen.map(({ credentials }) => credentials)).toEqual(expected)
  })

  it("CRED-09: never writes a field to a prototype", async () => {
    const { prove, seen } = setUp(vera)
    await prove({ form: { "__proto__[isAdmin]": "1", "constructor.prototype.isAdmin": "1", u: "v" } })
    await prove({ json: JSON.parse('{"__proto__":{"isAdmin":true},"u":"v"}') })
    for (const { credentials } of seen) expect(credentials).not.toHaveProperty("isAdmin", true)
    expect(seen[1]?.credentials).toStrictEqual({ u: "v" })
    expect({}).not.toHaveProperty("isAdmin")
  })

  it("gives authorize a request with the same address and headers, and the fields as JSON", async () => {
    const { prove, seen } = setUp(vera)
    await prove(
      { form: { u: "v" }, headers: { "x-forwarded-for": "192.0.2.1", "content-length": "9999" } },
      "?from=app",
    )
    const { request } = seen[0] ?? {}
    expect([request?.method, request?.url]).toEqual(["POST", "https://app.test/auth/callback/cred?from=app"])
    expect(request?.headers.get("x-forwarded-for")).toBe("192.0.2.1")
    expect(request?.headers.get("content-type")).toBe("application/json")
    expect(await request?.json()).toEqual({ u: "v" })
  })

  it("passes authorize a copy of the fields", async () => {
    const { prove } = setUp((credentials) => {
      Object.assign(credentials, { p: "changed" })
      return vera()
    })
    expect((await prove()).proof).toMatchObject({ credentials: { p: "right" } })
  })

  it("CRED-04: requires POST and the CSRF token", () => {
    const { provider } = setUp(vera)
    expect([credentialsMethod.callbackMethods(provider), credentialsMethod.isCallbackOurForm]).toEqual([["POST"], true])
  })

  it("redirects to the sign-in page", async () => {
    const { method, provider, seen } = setUp(vera)
    const request = await authRequestTo("/auth/signin/cred", { form: { u: "v", p: "right" } })
    expect(await method.begin(request, provider)).toEqual({ redirect: "https://app.test/auth/signin" })
    expect(seen).toEqual([])
  })
})

describe("credentialsSteps: resolveUser", () => {
  it("returns the authorized user without calling the adapter", async () => {
    const { method, prove } = setUp(vera)
    const { proof } = await prove()
    const { user } = proof
    const events = createEvents(undefined, createLog(recordingLogger()))
    const resolved = await method.resolveUser(proof, null, events)
    expect(resolved).toEqual({ user, isNewUser: false, isSignedInAlready: false, isUserFromHost: true })
  })
})

describe("the request that authorize may read", () => {
  const known = new Request("https://app.test/")
  /** A function with the given text, as an app without types may have it. */
  // as: its text is that of such a function.
  const toFunction = (text: string) => new Function("known", `return ${text}`)(known) as Authorize

  it.each([
    "async (fields) => null",
    "async ({ email, password }) => null",
    "async({email,password:given,},)=>null",
    "fields => null",
    "() => null",
    "function (fields) { return null }",
    "async function authorize({ email }) { return null }",
    "({ async authorize(fields) { return null } }).authorize",
  ])("is not created for %s, which cannot read it", (text) => {
    expect(canReadRequest(toFunction(text))).toBe(false)
  })

  it.each([
    "async (fields, request) => null",
    "(...all) => null",
    "(fields, request = null) => null",
    "(fields = null, request) => null",
    "({ email } = {}, ...rest) => null",
    "({ email = 1 }, request) => null",
    "(/* the form */ fields) => null",
    "function (fields) { return arguments[1] ? null : null }",
    'function (fields) { return eval("argu" + "ments")[1] }',
    "function (fields, request) { return null }",
    "function () { return Reflect.apply(String, null, arguments) }",
    "((fields, request) => null).bind(null)",
    "new Proxy((fields) => null, { apply: (target, self, all) => all[1] })",
    "Object.assign((fields, request) => null, { toString: () => '(fields) => null' })",
    '({ ["authorize"](fields) { return arguments } }).authorize',
  ])("is created for %s", (text) => {
    expect(canReadRequest(toFunction(text))).toBe(true)
  })

  it("is a Request for an app that reads all of its arguments", async () => {
    let given: readonly unknown[] = []
    const provider: CredentialsConfig = { id: "cred", name: "Password", type: "credentials" }
    const read = function authorize() {
      // biome-ignore lint/complexity/noArguments: what an app in plain JavaScript may do.
      given = [...arguments]
      return { id: "vera" }
    }
    const method = credentialsSteps(methodDeps())
    await method.prove(await authRequestTo("/auth/callback/cred", { form: { u: "v" } }), {
      ...provider,
      authorize: read,
    })
    expect(given).toEqual([{ u: "v" }, expect.any(Request)])
  })
})
