import { decode } from "@latchkey/core/jwt"
import Passkey from "@latchkey/core/providers/passkey"
import WebAuthn from "@latchkey/core/providers/webauthn"
import { type CreationOptionsJson, fixedClock, type RequestOptionsJson } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { challengeCookie, notLinked, openPasskeys, passkeyWrites, strategies } from "../setup/passkey-setup.js"
import { type Answer, ask, get } from "../setup/requests.js"

interface Offer {
  readonly action: string
  readonly options: Readonly<Record<string, unknown>> & Partial<CreationOptionsJson & RequestOptionsJson>
}

/** The options in a response. */
const offerOf = (answer: Answer) => answer.json() as Offer

describe.each(strategies)("GET /webauthn-options with %s sessions", (strategy) => {
  it.each(["delete", "", "Register", "authenticate,register"])(
    "WAN-02: refuses action=%s with 400 and issues no challenge",
    async (action) => {
      const { host, visitor } = openPasskeys({ strategy })
      const answer = await visitor().ask({ action })
      expect([answer.status, answer.json(), answer.cookies.size]).toEqual([400, { error: "Invalid action" }, 0])
      expect(host.logger.errors).toEqual([])
    },
  )

  it("WAN-17: offers no registration for an existing account to a signed-out visitor", async () => {
    const { adapter, visitor } = openPasskeys({ strategy })
    await visitor().register("v@corp.test")
    const before = adapter.calls.length
    for (const email of ["v@corp.test", "V@CORP.test", " v@corp.test "]) {
      const answer = await visitor().ask({ action: "register", email })
      expect([answer.status, answer.json(), answer.cookies.size]).toEqual([400, { error: "Invalid request" }, 0])
    }
    const asked = adapter.calls.slice(before).map(({ method }) => method)
    expect(new Set(asked)).toEqual(new Set(["getUserByEmail"]))
  })

  it("WAN-17: offers no registration if getUserInfo says that the account exists", async () => {
    const { visitor } = openPasskeys({
      strategy,
      passkey: { getUserInfo: async () => ({ exists: true, user: { id: "u-v", email: "v@corp.test" } }) },
    })
    expect((await visitor().ask({ action: "register" })).status).toBe(400)
    expect(offerOf(await visitor().ask({})).action).toBe("authenticate")
  })

  it.each([
    ["register", "", 400, undefined],
    ["register", "new@corp.test", 200, "register"],
    ["register", "known@corp.test", 400, undefined],
    ["register", "no address", 400, undefined],
    ["authenticate", "", 200, "authenticate"],
    ["authenticate", "new@corp.test", 200, "authenticate"],
    ["authenticate", "known@corp.test", 200, "authenticate"],
    [undefined, "", 200, "authenticate"],
    [undefined, "new@corp.test", 200, "register"],
    [undefined, "known@corp.test", 200, "authenticate"],
  ])("signed out, action %s, email %s", async (action, email, status, decided) => {
    const { visitor } = openPasskeys({ strategy })
    await visitor().register("known@corp.test")
    const answer = await visitor().ask({ ...(action && { action }), ...(email && { email }) })
    expect([answer.status, Reflect.get(Object(answer.json()), "action")]).toEqual([status, decided])
  })

  it.each([
    ["register", 200, "register"],
    ["authenticate", 200, "authenticate"],
    [undefined, 400, undefined],
  ])("signed in, action %s", async (action, status, decided) => {
    const { visitor } = openPasskeys({ strategy })
    const v = visitor()
    await v.signInByPassword()
    for (const email of [undefined, "new@corp.test"]) {
      const answer = await v.ask({ ...(action && { action }), ...(email && { email }) })
      expect([answer.status, Reflect.get(Object(answer.json()), "action")]).toEqual([status, decided])
    }
  })
})

describe("registration options", () => {
  it("have the contract's defaults", async () => {
    const { visitor } = openPasskeys()
    const answer = await visitor().ask({ action: "register", email: "v@corp.test" })
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(answer.headers.get("cache-control")).toBe("private, no-cache, no-store")
    expect(answer.json()).toEqual({
      action: "register",
      options: {
        rp: { id: "app.test", name: "app.test" },
        user: { id: expect.stringMatching(/^[\w-]{24}$/), name: "v@corp.test", displayName: "" },
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: "public-key" })),
        timeout: 300_000,
        attestation: "none",
        excludeCredentials: [],
        authenticatorSelection: {
          residentKey: "required",
          requireResidentKey: true,
          userVerification: "required",
        },
        extensions: { credProps: true },
        hints: [],
      },
    })
  })

  it("use registrationOptions of the provider", async () => {
    const { visitor } = openPasskeys({
      passkey: {
        relayingParty: { id: "corp.test", name: "Corp", origin: "https://app.corp.test" },
        registrationOptions: {
          timeout: 60_000,
          authenticatorSelection: { residentKey: "discouraged", authenticatorAttachment: "cross-platform" },
          supportedAlgorithmIDs: [-7],
          attestationType: "direct",
        },
      },
    })
    const { options } = offerOf(await visitor().ask({ action: "register", email: "v@corp.test" }))
    expect(options).toMatchObject({
      rp: { id: "corp.test", name: "Corp" },
      timeout: 60_000,
      attestation: "direct",
      pubKeyCredParams: [{ alg: -7 }],
      authenticatorSelection: { residentKey: "discouraged", userVerification: "required" },
    })
  })

  it("are rejected for signed-out visitors without enableSignUp", async () => {
    const { visitor } = openPasskeys({ passkey: { enableSignUp: false } })
    expect((await visitor().ask({ action: "register", email: "new@corp.test" })).status).toBe(400)
    const answers = ["new@corp.test", "other@corp.test"].map(async (email) => offerOf(await visitor().ask({ email })))
    expect((await Promise.all(answers)).map(({ action }) => action)).toEqual(["authenticate", "authenticate"])
    const v = visitor()
    await v.signInByPassword()
    expect((await v.register()).location).toBe("https://app.test/in")
  })

  it("keep the fields of a new user from getUserInfo until the user is stored", async () => {
    const seen: unknown[] = []
    const { adapter, visitor } = openPasskeys({
      passkey: {
        getUserInfo: ({ provider, url }, { query, method, headers }) => {
          seen.push([provider.id, url.pathname, query["username"], method, headers["cookie"] !== undefined])
          return { exists: false, user: { name: query["username"] ?? null, email: "made@corp.test" } }
        },
      },
    })
    const v = visitor()
    const options = await v.creation({ username: "Vera" })
    expect(options.user).toMatchObject({ name: "made@corp.test", displayName: "Vera" })
    await v.finish("register", await v.device.create(options))
    expect(seen).toEqual([["passkey", "/auth/webauthn-options/passkey", "Vera", "GET", false]])
    expect(await adapter.getUserByEmail("made@corp.test")).toMatchObject({ name: "Vera", emailVerified: null })
  })
})

describe("authentication options", () => {
  it("have the contract's defaults", async () => {
    const { visitor } = openPasskeys()
    expect((await visitor().ask({ action: "authenticate" })).json()).toEqual({
      action: "authenticate",
      options: {
        rpId: "app.test",
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        timeout: 300_000,
        userVerification: "required",
      },
    })
  })

  it("prefer user verification with the provider WebAuthn", async () => {
    const host = openHost({ providers: [WebAuthn()] })
    const answer = await ask(host, "/auth/webauthn-options/webauthn?action=authenticate")
    expect(offerOf(answer).options).toMatchObject({ userVerification: "preferred" })
  })

  it("need no provider id with a single provider", async () => {
    const { visitor } = openPasskeys()
    const { browser } = visitor()
    expect((await get(browser, "/auth/webauthn-options?action=authenticate")).status).toBe(200)
  })
})

describe("the relying party", () => {
  it.each([
    ["https://app.test", "app.test"],
    ["https://app.test:8443", "app.test"],
    ["http://localhost:3000", "localhost"],
  ])("is the request's host at %s", async (origin, id) => {
    const host = openHost({ origin, providers: [Passkey()] })
    const answer = await ask(host, "/auth/webauthn-options/passkey?action=register&email=v@corp.test", { origin })
    expect(offerOf(answer).options.rp).toEqual({ id, name: new URL(origin).host })
  })

  it("is the first listed id that matches the request's host, else the first", async () => {
    const id = ["one.example", "corp.test", "app.test"]
    const { host } = openPasskeys({ passkey: { relayingParty: { id, name: ["One", "Two"] } } })
    const at = async (origin: string) =>
      offerOf(await ask(host, "/auth/webauthn-options/passkey?action=authenticate", { origin })).options["rpId"]
    expect(await Promise.all(["https://app.test", "https://www.corp.test", "https://else.test"].map(at))).toEqual([
      "app.test",
      "corp.test",
      "one.example",
    ])
  })

  it("is the result of getRelayingParty", async () => {
    const { visitor } = openPasskeys({
      passkey: {
        getRelayingParty: async ({ url }, { headers }) => ({
          id: `${headers["x-tenant"] ?? "none"}.test`,
          name: url.host,
          origin: url.origin,
        }),
      },
    })
    const { browser } = visitor()
    const answer = await get(browser, "/auth/webauthn-options/passkey?action=authenticate", { "x-tenant": "blue" })
    expect(offerOf(answer).options["rpId"]).toBe("blue.test")
  })
})

describe("the challenge", () => {
  it("WAN-03: has 32 random bytes, different each time", async () => {
    const { host } = openPasskeys()
    const seen = new Set<string>()
    for (let n = 0; n < 100; n++) {
      const answer = await ask(host, "/auth/webauthn-options/passkey?action=authenticate")
      const { challenge = "" } = offerOf(answer).options
      expect(Buffer.from(challenge, "base64url")).toHaveLength(32)
      seen.add(challenge)
    }
    expect(seen.size).toBe(100)
  })

  it("WAN-03: is sealed in a cookie and expires after 15 minutes", async () => {
    using clock = fixedClock()
    const { host, visitor } = openPasskeys()
    const v = visitor()
    await v.register("v@corp.test")
    await v.browser.signOut()
    const answer = await v.ask({ action: "authenticate" })
    const cookie = answer.cookies.get(challengeCookie)
    expect(cookie?.attributes).toEqual(
      expect.arrayContaining(["Max-Age=900", "HttpOnly", "SameSite=Lax", "Secure", "Path=/"]),
    )
    expect(cookie?.attributes.some((attribute) => attribute.startsWith("Expires="))).toBe(true)
    const { options } = offerOf(answer)
    expect(decodeURIComponent(cookie?.value ?? "")).not.toContain(options.challenge)
    const assertion = await v.device.get(options as RequestOptionsJson) // as: requested for a sign-in.
    clock.advance({ seconds: 901 + 15 })
    v.browser.cookies.set(challengeCookie, cookie?.value ?? "")
    expect((await v.finish("authenticate", assertion)).location).toContain("error=Configuration")
    expect(host.logger.errorTypes()).toEqual(["InvalidCheck"])
  })

  it("is sealed in the contract's format", async () => {
    const { host, visitor } = openPasskeys()
    const v = visitor()
    const options = await v.creation({ email: "v@corp.test" })
    const secret = host.config.secret ?? ""
    const outer = await decode({ token: v.browser.cookies.get(challengeCookie) ?? "", salt: challengeCookie, secret })
    expect(outer).toMatchObject({ provider: "passkey", value: expect.any(String) })
    const inner = await decode({ token: String(outer?.["value"]), salt: "encodedWebauthnChallenge", secret })
    expect(inner).toMatchObject({ challenge: options.challenge, registerData: { email: "v@corp.test" } })
  })

  it("the challenge of one tab stays valid when others request one, up to three", async () => {
    using clock = fixedClock()
    const { visitor } = openPasskeys()
    const v = visitor()
    await v.register("v@corp.test")
    await v.browser.signOut()
    const tabs = []
    for (let n = 0; n < 4; n++) {
      clock.advance({ seconds: 1 })
      tabs.push(await v.device.get(await v.request()))
    }
    expect(v.browser.cookies.names().filter((name) => name.startsWith(challengeCookie))).toHaveLength(3)
    const [oldest, ...others] = tabs
    for (const assertion of others.toReversed()) {
      await v.browser.signOut()
      expect((await v.finish("authenticate", assertion)).location).toBe("https://app.test/in")
    }
    await v.browser.signOut()
    expect((await v.finish("authenticate", oldest)).location).toContain("/auth/error?error=")
    expect(v.browser.cookies.names().filter((name) => name.startsWith(challengeCookie))).toEqual([])
  })
})

describe("WAN-29: options for an unknown user", () => {
  const shapeOf = ({ options }: Offer) => ({
    names: Object.keys(options).sort(),
    listed: options.allowCredentials?.map((one) => Object.keys(one).sort()),
  })

  it("look like those of a user with a passkey, in shape and size of the response and its cookie", async () => {
    const { adapter, visitor } = openPasskeys()
    await visitor().register("known@corp.test")
    await adapter.createUser({ id: "bare", email: "bare@corp.test", emailVerified: null })
    const asked = ["known@corp.test", "nobody@corp.test", "bare@corp.test"].map((email) =>
      visitor().ask({ action: "authenticate", email }),
    )
    const answers = await Promise.all(asked)
    const [known, nobody, bare] = answers.map((answer) => shapeOf(offerOf(answer)))
    expect(nobody).toEqual(known)
    expect(bare).toEqual(known)
    const sizes = answers.map(({ cookies }) => cookies.get(challengeCookie)?.value.length)
    expect(new Set(sizes).size).toBe(1)
  })

  it("are the same each time, and different for each identifier", async () => {
    const { visitor } = openPasskeys()
    const listedFor = async (email: string) =>
      offerOf(await visitor().ask({ action: "authenticate", email })).options.allowCredentials?.map(({ id }) => id)
    const first = await listedFor("nobody@corp.test")
    expect(await listedFor(" Nobody@corp.test")).toEqual(first)
    expect(await listedFor("nemo@corp.test")).not.toEqual(first)
    const elsewhere = openPasskeys()
    const answer = await elsewhere.visitor().ask({ action: "authenticate", email: "nobody@corp.test" })
    expect(offerOf(answer).options.allowCredentials?.map(({ id }) => id)).not.toEqual(first)
  })

  it.each([
    ["v@b\u00fccher.test", "v@xn--bcher-kva.test"],
    ["v@\uff43orp.test", "v@corp.test"],
    ["\u212aate@corp.test", "kate@corp.test"],
    [`v@corp.test${" ".repeat(1100)}`, "v@corp.test"],
  ])("are the same for two spellings if a known user's would be (%#)", async (odd, plain) => {
    const { visitor } = openPasskeys()
    const areSame = async () => {
      const asked = [odd, plain].map((email) => visitor().ask({ action: "authenticate", email }))
      const [one, other] = (await Promise.all(asked)).map((answer) => offerOf(answer).options.allowCredentials)
      expect([one?.length, other?.length]).toEqual([1, 1])
      return one?.[0]?.id === other?.[0]?.id
    }
    const before = await areSame()
    await visitor().register(plain)
    expect(await areSame()).toBe(before)
  })

  it("do not depend on other query parameters", async () => {
    const { visitor } = openPasskeys({ passkey: { formFields: { email: {}, name: {} } } })
    const asked = ["Vera", "Veronica"].map((name) =>
      visitor().ask({ action: "authenticate", email: "v@corp.test", name }),
    )
    const [one, other] = (await Promise.all(asked)).map((answer) => offerOf(answer).options.allowCredentials)
    expect(one).toEqual(other)
  })

  it.each(["known@corp.test", "nobody@corp.test"])(
    "are rejected like a stored credential when a passkey is registered with their id (%s)",
    async (email) => {
      const { adapter, visitor } = openPasskeys()
      await visitor().register("known@corp.test")
      const { allowCredentials: [listed] = [] } = await visitor().request({ email })
      const attacker = visitor()
      const options = await attacker.creation({ email: "new@corp.test" })
      const credentialId = Uint8Array.from(Buffer.from(listed?.id ?? "", "base64url"))
      const before = passkeyWrites(adapter)
      const answer = await attacker.finish("register", await attacker.device.create(options, { credentialId }))
      expect(answer.location).toBe(notLinked)
      expect(passkeyWrites(adapter)).toEqual(before)
    },
  )

  it("cannot sign in, and give the error of an invalid signature", async () => {
    const { visitor } = openPasskeys()
    const v = visitor()
    await v.register("v@corp.test")
    await v.browser.signOut()
    const { allowCredentials: _, ...options } = await v.request({ email: "nobody@corp.test" })
    const answer = await v.finish("authenticate", await v.device.get(options))
    expect(answer.location).toBe("https://app.test/auth/error?error=WebAuthnVerificationError")
  })

  it("list nothing if decoyCredentials is false", async () => {
    const { visitor } = openPasskeys({ passkey: { decoyCredentials: false } })
    const answer = await visitor().ask({ action: "authenticate", email: "nobody@corp.test" })
    expect(offerOf(answer).options).not.toHaveProperty("allowCredentials")
  })

  it("depend on the provider's formFields", async () => {
    const { visitor } = openPasskeys({
      passkey: {
        formFields: { username: { autocomplete: "username webauthn" } },
        getUserInfo: () => null,
      },
    })
    const answer = await visitor().ask({ action: "authenticate", username: "vera" })
    expect(offerOf(answer).options.allowCredentials).toHaveLength(1)
    expect(offerOf(await visitor().ask({ action: "authenticate" })).options).not.toHaveProperty("allowCredentials")
  })
})
