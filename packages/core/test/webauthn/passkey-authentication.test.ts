import Passkey from "@latchkey/core/providers/passkey"
import {
  type CredentialAlg,
  type Misbehavior,
  memoryAdapter,
  softwareAuthenticator,
  toStoredId,
} from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import {
  challengeCookie,
  checkRefused,
  createVisitor,
  openPasskeys,
  type PasskeyHostOptions,
  strategies,
  type Visitor,
  verificationRefused,
} from "../setup/passkey-setup.js"
import { post } from "../setup/requests.js"

const inside = "https://app.test/in"

/** A person with a passkey, signed out again. */
async function withPasskey(options: PasskeyHostOptions = {}, device = {}) {
  const { host, adapter, visitor } = openPasskeys(options)
  const v = visitor(device)
  expect((await v.register("v@corp.test")).location).toBe(inside)
  await v.browser.signOut()
  const id = toStoredId(v.device.credentials[0]?.id ?? "")
  return { host, adapter, visitor, v, stored: () => adapter.getAuthenticator(id) }
}

/** The same cookies in another browser. */
function copyOf({ browser }: Visitor, into: Visitor): Visitor {
  for (const { name, value } of browser.cookies.list()) into.browser.cookies.set(name, value)
  return into
}

describe.each(strategies)("signing in with a passkey, with %s sessions", (strategy) => {
  it.each<[string, Misbehavior]>([
    ["WAN-22: the type of a registration", { clientData: { type: "webauthn.create" } }],
    ["WAN-22: another challenge", { clientData: { challenge: "A".repeat(43) } }],
    ["WAN-22: another origin", { clientData: { origin: "https://app.test.evil.test" } }],
    ["WAN-22: a frame of another origin", { clientData: { crossOrigin: true } }],
    ["WAN-22: a frame in a named page", { clientData: { crossOrigin: true, topOrigin: "https://evil.test" } }],
    ["WAN-22: another relying party", { rpId: "evil.test" }],
    ["WAN-22: no user presence", { flags: { up: false } }],
    ["WAN-22: no user verification", { flags: { uv: false } }],
    ["WAN-22: extension data that is not there", { flags: { ed: true } }],
    ["WAN-13: backed up, but not eligible", { flags: { be: false, bs: true } }],
    ["WAN-23: a flipped byte", { signature: (bytes) => bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1) }],
    ["WAN-23: an empty signature", { signature: () => new Uint8Array() }],
    ["WAN-23: bytes behind the signature", { signature: (bytes) => Uint8Array.of(...bytes, 0) }],
    [
      "WAN-23: bytes inside the sequence",
      { signature: ([tag = 0, length = 0, ...rest]) => Uint8Array.of(tag, length + 1, ...rest, 0) },
    ],
    [
      "WAN-23: a length in its long form",
      { signature: ([tag = 0, length = 0, ...rest]) => Uint8Array.of(tag, 0x81, length, ...rest) },
    ],
    ["WAN-23: a bare signature", { signature: () => new Uint8Array(64).fill(9) }],
    ["WAN-21: another user handle", { userHandle: "AAAA" }],
    ["WAN-21: another user handle with a larger counter", { userHandle: "AAAA", counter: 7 }],
    ["WAN-21: a user handle that is not the id of a user", { userHandle: btoa("somebody").replaceAll("=", "") }],
    ["WAN-24: not eligible for backup any more", { flags: { be: false, bs: false } }],
    ["WAN-19: an unknown id", { claimedId: "AAAAAAAAAAAAAAAAAAAAAA" }],
  ])("%s is rejected", async (_, misbehavior) => {
    const { host, v, stored } = await withPasskey({ strategy })
    const before = await stored()
    const answer = await v.signIn(misbehavior)
    expect([answer.status, answer.location]).toEqual([302, verificationRefused])
    expect(await v.browser.session()).toBeNull()
    expect(host.logger.errorTypes()).toEqual(["WebAuthnVerificationError"])
    expect(host.events.of("signIn")).toHaveLength(1)
    expect(await stored()).toEqual(before)
  })

  it("WAN-23: rejects a signature over other fields", async () => {
    const { v } = await withPasskey({ strategy })
    const [one, two] = [await v.device.get(await v.request()), await v.device.get(await v.request())]
    const mixed = { ...two, response: { ...two.response, signature: one.response.signature } }
    expect((await v.finish("authenticate", mixed)).location).toBe(verificationRefused)
    expect(await v.browser.session()).toBeNull()
  })

  it("WAN-04: rejects a replayed assertion with the same cookies, without counters", async () => {
    const { host, v, visitor, stored } = await withPasskey({ strategy })
    const assertion = await v.device.get(await v.request())
    const thief = copyOf(v, visitor())
    expect((await v.finish("authenticate", assertion)).location).toBe(inside)
    expect((await stored())?.counter).toBe(0)
    expect((await thief.finish("authenticate", assertion)).location).toBe(checkRefused)
    expect(await thief.browser.session()).toBeNull()
    expect(host.logger.errorTypes()).toEqual(["InvalidCheck"])
  })

  it("WAN-04: accepts one of many concurrent requests", async () => {
    const { v, visitor } = await withPasskey({ strategy })
    const assertion = await v.device.get(await v.request())
    const thieves = Array.from({ length: 10 }, () => copyOf(v, visitor()))
    const answers = await Promise.all(thieves.map((thief) => thief.finish("authenticate", assertion)))
    expect(answers.filter(({ location }) => location === inside)).toHaveLength(1)
  })

  it("WAN-04: consumes the challenge of a rejected response", async () => {
    const { v } = await withPasskey({ strategy })
    const options = await v.request()
    const cookie = v.browser.cookies.get(challengeCookie) ?? ""
    const wrong = await v.device.get(options, { rpId: "evil.test" })
    expect((await v.finish("authenticate", wrong)).location).toBe(verificationRefused)
    v.browser.cookies.set(challengeCookie, cookie)
    expect((await v.finish("authenticate", await v.device.get(options))).location).toBe(checkRefused)
  })

  it("WAN-06: rejects a challenge that was issued for another provider", async () => {
    const adapter = memoryAdapter()
    const keys = ["key1", "key2"].map((id) => Passkey({ id, enableConditionalUI: false }))
    const host = openHost({
      adapter,
      session: { strategy },
      providers: keys,
    })
    const parts = { browser: host.browser, device: softwareAuthenticator(), adapter }
    const [one, two] = [createVisitor({ ...parts, path: "key1" }), createVisitor({ ...parts, path: "key2" })]
    await two.register("v@corp.test")
    await host.browser.signOut()
    const assertion = await one.device.get(await one.request())
    expect((await two.finish("authenticate", assertion)).location).toBe(checkRefused)
    expect(host.logger.errorTypes()).toEqual(["InvalidCheck"])
    // A passkey of one provider does not sign in at the other.
    const other = await one.device.get(await one.request())
    expect((await one.finish("authenticate", other)).location).toBe(verificationRefused)
    expect(host.logger.errorTypes()).toEqual(["InvalidCheck", "WebAuthnVerificationError"])
    expect(await host.browser.session()).toBeNull()
  })

  it("WAN-19: replies to an unknown credential as to an invalid signature, without its id", async () => {
    const { host, v } = await withPasskey({ strategy })
    const unknown = await v.signIn({ claimedId: "AAAAAAAAAAAAAAAAAAAAAA" })
    const wrong = await v.signIn({ signature: (bytes) => bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1) })
    const seen = [unknown, wrong].map(({ status, location, text, headers }) => {
      return [status, location, text, [...headers.keys()].sort()]
    })
    expect(seen[0]).toEqual(seen[1])
    expect(host.logger.texts().join()).not.toContain("AAAAAAAAAAAA")
  })

  it("lets a user register a passkey again after a process ended before its account was stored", async () => {
    const ended = new Error("the process ended")
    let isEnding = true
    const stored = memoryAdapter()
    const { visitor } = openPasskeys({
      strategy,
      adapter: {
        ...stored,
        linkAccount: async (account) => {
          if (isEnding) throw ended
          await stored.linkAccount(account)
        },
        // A process that has ended cannot clean up.
        deleteAuthenticator: async () => {
          throw ended
        },
      },
    })
    const v = visitor()
    await stored.createUser({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
    await post(v.browser, "/auth/callback/cred", { u: "v", p: "right" })
    expect((await v.register()).location).toContain("/auth/error")
    expect(await stored.listAuthenticatorsByUserId("u-v")).toHaveLength(1)
    isEnding = false
    expect((await v.register()).location).toBe("https://app.test/in")
    await v.browser.signOut()
    expect((await v.signIn()).location).toBe("https://app.test/in")
    expect((await v.browser.session())?.user?.email).toBe("v@corp.test")
  })

  it.each<CredentialAlg>(["ES256", "EdDSA", "RS256"])(
    "logs a removed passkey as unknown for any algorithm: %s",
    async (alg) => {
      const { host, adapter, v } = await withPasskey({ strategy }, { alg })
      await adapter.deleteAuthenticator(toStoredId(v.device.credentials[0]?.id ?? ""))
      expect((await v.signIn()).location).toBe(verificationRefused)
      expect(host.logger.errors.at(-1)?.message).toBe("credential: unknown")
    },
  )

  it("WAN-20: rejects W's credential for options that were issued for V", async () => {
    const { v, visitor, host } = await withPasskey({ strategy })
    const w = visitor()
    await w.register("w@corp.test")
    await w.browser.signOut()
    const { allowCredentials: _, ...options } = await v.request({ email: "v@corp.test" })
    expect((await v.finish("authenticate", await w.device.get(options))).location).toBe(verificationRefused)
    expect(await v.browser.session()).toBeNull()
    expect(host.logger.errors.at(-1)?.message).toContain("listed")
  })

  it("WAN-21: rejects the user handle of another stored user", async () => {
    const { v, visitor } = await withPasskey({ strategy })
    const w = visitor()
    await w.register("w@corp.test")
    const userHandle = w.device.credentials[0]?.userHandle ?? ""
    expect((await v.signIn({ userHandle })).location).toBe(verificationRefused)
    expect(await v.browser.session()).toBeNull()
  })

  it.each([
    ["an absent user handle", null],
    ["an empty user handle", ""],
  ])("WAN-21: accepts %s: the credential id identifies the owner", async (_, userHandle) => {
    const { v } = await withPasskey({ strategy })
    expect((await v.signIn({ userHandle })).location).toBe(inside)
  })

  it("WAN-21: accepts the random handle of a passkey that Auth.js registered: the credential id identifies the owner", async () => {
    const { v } = await withPasskey({ strategy })
    const handle = "0123456789abcdef".repeat(4)
    for (const userHandle of [btoa(handle).replaceAll("=", ""), handle]) {
      expect((await v.signIn({ userHandle })).location).toBe(inside)
      await v.browser.signOut()
    }
  })

  it("WAN-21: names the option in the log when it rejects a foreign handle", async () => {
    const { v, host } = await withPasskey({ strategy })
    expect((await v.signIn({ userHandle: "AAAA" })).location).toBe(verificationRefused)
    expect(host.logger.errors.at(-1)?.message).toContain("set acceptForeignUserHandles of the provider to true")
  })

  it("WAN-21: accepts foreign handles with acceptForeignUserHandles, but never another user's", async () => {
    const { v, visitor } = await withPasskey({ strategy, passkey: { acceptForeignUserHandles: true } })
    expect((await v.signIn({ userHandle: "AAAA" })).location).toBe(inside)
    const w = visitor()
    await w.register("w@corp.test")
    await v.browser.signOut()
    const userHandle = w.device.credentials[0]?.userHandle ?? ""
    expect((await v.signIn({ userHandle })).location).toBe(verificationRefused)
  })

  it("WAN-24: rejects a passkey whose backup eligibility changed", async () => {
    const { v, stored } = await withPasskey({ strategy }, { flags: { be: false, bs: false } })
    const before = await stored()
    expect((await v.signIn({ flags: { be: true } })).location).toBe(verificationRefused)
    expect(await stored()).toEqual(before)
  })

  it.each([10, 9, 0])("WAN-25: rejects a counter of %i after 10, logs it, and keeps 10", async (counter) => {
    const { host, v, stored } = await withPasskey({ strategy }, { firstCounter: 10 })
    expect((await v.signIn({ counter })).location).toBe(verificationRefused)
    expect((await stored())?.counter).toBe(10)
    expect(host.logger.errors.at(-1)?.message).toContain("may be cloned")
  })

  it("WAN-25: accepts a counter that stays at 0 or grows", async () => {
    const { v, stored } = await withPasskey({ strategy })
    expect((await v.signIn({ counter: 0 })).location).toBe(inside)
    expect((await v.signIn({ counter: 7 })).location).toBe(inside)
    expect((await stored())?.counter).toBe(7)
    expect((await v.signIn({ counter: 0 })).location).toBe(verificationRefused)
  })

  it("ADP-08: keeps the larger of two concurrent counters", async () => {
    const { v, visitor, stored } = await withPasskey({ strategy }, { firstCounter: 10 })
    const others = [visitor(), visitor()]
    const assertions = await Promise.all(
      others.map(async (other, index) => v.device.get(await other.request(), { counter: 12 - index })),
    )
    const answers = await Promise.all(others.map((other, index) => other.finish("authenticate", assertions[index])))
    expect((await stored())?.counter).toBe(12)
    expect(answers[0]?.location).toBe(inside)
  })

  it("ADP-08: rejects the smaller of two counters if the larger one was stored first", async () => {
    const { v, host, stored } = await withPasskey({
      strategy,
      adapter: {
        updateAuthenticatorCounter: async (_, counter) => {
          const row = await stored()
          if (!row) throw new Error("gone")
          return { ...row, counter: Math.max(12, counter) }
        },
      },
    })
    expect((await v.signIn({ counter: 11 })).location).toBe(verificationRefused)
    expect(host.logger.errorTypes()).toEqual(["WebAuthnVerificationError"])
    expect(await v.browser.session()).toBeNull()
  })

  it.each(["updateAuthenticatorCounter", "getAuthenticator", "getAccount", "updateAuthenticator"] as const)(
    "WAN-26: starts no session when %s fails",
    async (method) => {
      let isDown = false
      const sound = memoryAdapter()
      const failing = async (...values: unknown[]) => {
        if (isDown) throw new Error("down")
        return Reflect.apply(sound[method] as (...all: unknown[]) => unknown, undefined, values) // A method of the adapter.
      }
      const { host, visitor } = openPasskeys({ strategy, adapter: { ...sound, [method]: failing } })
      const v = visitor()
      await v.register("v@corp.test")
      await v.browser.signOut()
      isDown = true
      expect((await v.signIn()).location).toBe(checkRefused)
      expect(host.logger.errorTypes()).toEqual(["AdapterError"])
      expect(await v.browser.session()).toBeNull()
      expect(host.events.of("signIn")).toHaveLength(1)
    },
  )

  it("rejects a passkey whose account or user was deleted", async () => {
    const { host, adapter, v, stored } = await withPasskey({ strategy })
    const row = await stored()
    await adapter.unlinkAccount({ provider: "passkey", providerAccountId: row?.credentialID ?? "" })
    expect((await v.signIn()).location).toBe(verificationRefused)
    await adapter.deleteUser(row?.userId ?? "")
    expect((await v.signIn()).location).toBe(verificationRefused)
    expect(host.logger.errors.map(({ message }) => message)).toEqual([
      "credential: has no account of this provider",
      "credential: unknown",
    ])
  })

  it("rejects a deleted passkey", async () => {
    const { adapter, v, stored } = await withPasskey({ strategy })
    await adapter.deleteAuthenticator((await stored())?.credentialID ?? "")
    expect((await v.signIn()).location).toBe(verificationRefused)
  })
})

describe("verifyAuthenticationOptions", () => {
  it("WAN-22: allow frames in the listed origins only", async () => {
    const { v } = await withPasskey({
      passkey: { verifyAuthenticationOptions: { expectedTopOrigin: "https://shop.test" } },
    })
    const from = (topOrigin: string | undefined) => ({ clientData: { crossOrigin: true, topOrigin } })
    expect((await v.signIn(from("https://shop.test"))).location).toBe(inside)
    expect((await v.signIn(from(undefined))).location).toBe(inside)
    expect((await v.signIn(from("https://evil.test"))).location).toBe(verificationRefused)
  })

  it("WAN-22: accept a response without user verification if it is only preferred", async () => {
    const verifyAuthenticationOptions = { requireUserVerification: undefined } as object // Undefined keeps the factory's.
    const strict = await withPasskey({ passkey: { verifyAuthenticationOptions } })
    expect((await strict.v.signIn({ flags: { uv: false } })).location).toBe(verificationRefused)
    const lax = await withPasskey({ passkey: { verifyAuthenticationOptions: { requireUserVerification: false } } })
    expect((await lax.v.signIn({ flags: { uv: false } })).location).toBe(inside)
  })
})

describe("the form's data", () => {
  const sound = { id: "AAAA", rawId: "AAAA", type: "public-key" }
  const response = { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA", attestationObject: "AAAA" }

  it.each<[string, string | undefined]>([
    ["is not there", undefined],
    ["is empty", ""],
    ["is no JSON", "{"],
    ["is null", "null"],
    ["is a list", "[]"],
    ["is text", '"x"'],
    ["has a number for an id", JSON.stringify({ ...sound, id: 7, rawId: 7, response })],
    ["has another id beside the raw one", JSON.stringify({ ...sound, rawId: "BBBB", response })],
    ["has an id with padding", JSON.stringify({ ...sound, id: "AA==", rawId: "AA==", response })],
    ["has standard base64", JSON.stringify({ ...sound, response: { ...response, clientDataJSON: "+/+/" } })],
    ["has another type", JSON.stringify({ ...sound, type: "password", response })],
    ["has no response", JSON.stringify(sound)],
    ["has null for a response", JSON.stringify({ ...sound, response: null })],
    ["lacks the client data", JSON.stringify({ ...sound, response: { ...response, clientDataJSON: null } })],
    ["is nested 5000 deep", "[".repeat(5000) + "]".repeat(5000)],
    ["is nested 2000 deep within", `{"id":${'{"a":'.repeat(2000)}1${"}".repeat(2000)}}`],
    ["has a prototype", '{"__proto__":{"id":"AAAA"},"id":"AAAA"}'],
  ])("WAN-28: is rejected with 400 when it %s", async (_, data) => {
    const { host, visitor } = openPasskeys()
    for (const action of ["register", "authenticate"] as const) {
      const v = visitor()
      await v.request()
      const answer = await post(v.browser, "/auth/callback/passkey", { action, ...(data !== undefined && { data }) })
      expect([answer.status, answer.json()]).toEqual([400, "Bad request."])
    }
    expect(host.logger.errorTypes()).toEqual(["InvalidRequest", "InvalidRequest"])
  })

  it("WAN-28: is rejected with 413 at five megabytes", async () => {
    const { visitor } = openPasskeys()
    const v = visitor()
    const answer = await post(v.browser, "/auth/callback/passkey", {
      action: "authenticate",
      data: "x".repeat(5_000_000),
    })
    expect(answer.status).toBe(413)
  })

  it.each(["AAAA", btoa("null"), btoa("[]"), btoa('{"challenge":1}'), ""])(
    "WAN-28: is refused when its client data is %j",
    async (clientDataJSON) => {
      const { host, visitor } = openPasskeys()
      const v = visitor()
      const assertion = { ...sound, response: { ...response, clientDataJSON: clientDataJSON.replaceAll("=", "") } }
      await v.request()
      expect((await v.finish("authenticate", assertion)).location).toBe(verificationRefused)
      expect(host.logger.errorTypes()).toEqual(["WebAuthnVerificationError"])
    },
  )
})
