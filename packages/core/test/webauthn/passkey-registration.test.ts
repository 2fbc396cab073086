import { CborMap, fixedClock, type Misbehavior, memoryAdapter, toStoredId } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  challengeCookie,
  checkRefused,
  notLinked,
  openPasskeys,
  passkeyWrites,
  strategies,
  verificationRefused,
} from "../setup/passkey-setup.js"
import { post } from "../setup/requests.js"
import { expectQuiet } from "../setup/sign-ins.js"

const es256 = (entries: readonly (readonly [number, number | Uint8Array])[]) => new CborMap(entries)
const coordinate = new Uint8Array(32).fill(7)

describe.each(strategies)("registering a passkey, with %s sessions", (strategy) => {
  it.each<[string, Misbehavior]>([
    ["WAN-07: the type of a sign-in", { clientData: { type: "webauthn.get" } }],
    ["WAN-07: no type", { clientData: { type: undefined } }],
    ["WAN-08: another challenge", { clientData: { challenge: "A".repeat(43) } }],
    ["WAN-08: no challenge", { clientData: { challenge: undefined } }],
    ["WAN-08: a challenge that is no text", { clientData: { challenge: ["x"] } }],
    ["WAN-09: a host that begins like ours", { clientData: { origin: "https://app.test.evil.test" } }],
    ["WAN-09: another scheme", { clientData: { origin: "http://app.test" } }],
    ["WAN-09: another port", { clientData: { origin: "https://app.test:444" } }],
    ["WAN-09: a host below ours", { clientData: { origin: "https://sub.app.test" } }],
    ["WAN-09: an origin in a list", { clientData: { origin: ["https://app.test"] } }],
    ["WAN-09: no origin", { clientData: { origin: null } }],
    ["WAN-10: a frame of another origin", { clientData: { crossOrigin: true } }],
    ["WAN-10: a frame in a named page", { clientData: { crossOrigin: true, topOrigin: "https://evil.test" } }],
    ["WAN-10: a named page without a frame", { clientData: { topOrigin: "https://app.test" } }],
    ["WAN-10: a word for crossOrigin", { clientData: { crossOrigin: "false" } }],
    ["WAN-11: another relying party", { rpId: "evil.test" }],
    ["WAN-11: no relying party's name", { rpId: "" }],
    ["WAN-12: no user presence", { flags: { up: false } }],
    ["WAN-12: no user verification (UV)", { flags: { uv: false } }],
    ["WAN-13: backed up, but not eligible", { flags: { be: false, bs: true } }],
    [
      "WAN-14: an algorithm that was not offered",
      {
        coseKey: es256([
          [1, 2],
          [3, -35],
          [-1, 2],
          [-2, coordinate],
        ]),
      },
    ],
    [
      "WAN-14: a key of another type",
      {
        coseKey: es256([
          [1, 3],
          [3, -7],
          [-1, coordinate],
          [-2, coordinate],
        ]),
      },
    ],
    [
      "WAN-14: a key on another curve",
      {
        coseKey: es256([
          [1, 2],
          [3, -7],
          [-1, 2],
          [-2, coordinate],
          [-3, coordinate],
        ]),
      },
    ],
    [
      "WAN-14: half a key",
      {
        coseKey: es256([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, coordinate],
        ]),
      },
    ],
    ["WAN-14: a key without an algorithm", { coseKey: es256([[1, 2]]) }],
    [
      "WAN-14: a huge RSA key",
      {
        coseKey: es256([
          [1, 3],
          [3, -257],
          [-1, new Uint8Array(2000).fill(255)],
          [-2, coordinate],
        ]),
      },
    ],
    [
      "WAN-14: a small RSA key",
      {
        coseKey: es256([
          [1, 3],
          [3, -257],
          [-1, coordinate],
          [-2, Uint8Array.of(1, 0, 1)],
        ]),
      },
    ],
    ["WAN-15: an unknown format", { attestation: "unknown-format" }],
    ["WAN-15: a wrong packed signature", { attestation: "packed-bad-signature" }],
    ["WAN-15: a packed signature of another algorithm", { attestation: "packed-other-algorithm" }],
    ["WAN-15: a certificate that was not requested", { attestation: "packed-certificate" }],
    ["WAN-15: a statement where there is none", { attestation: "none-with-statement" }],
    ["WAN-15: bytes behind the object", { attestation: "trailing-bytes" }],
    ["WAN-15: bytes behind the authenticator data", { attestation: "trailing-bytes-inside" }],
    ["WAN-15: a key that comes twice", { attestation: "duplicate-keys" }],
    ["WAN-15: maps in maps", { attestation: "deeply-nested" }],
    ["WAN-15: extension data that is not there", { flags: { ed: true } }],
    ["WAN-16: an id of 1024 bytes", { credentialId: new Uint8Array(1024).fill(1) }],
    ["WAN-16: an id of no bytes", { credentialId: new Uint8Array(0), claimedId: "AA" }],
    ["WAN-16: an id other than the device's", { claimedId: "AAAA" }],
  ])("%s is rejected", async (_, misbehavior) => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const v = visitor()
    const answer = await v.register("v@corp.test", misbehavior)
    expect([answer.status, answer.location]).toEqual([302, verificationRefused])
    await expectQuiet(host, v.browser, adapter)
    expect(passkeyWrites(adapter)).toEqual([])
    expect(host.logger.errorTypes()).toEqual(["WebAuthnVerificationError"])
  })

  it("WAN-08: rejects a challenge with padding, and logs no challenge", async () => {
    const { host, visitor } = openPasskeys({ strategy })
    const v = visitor()
    const options = await v.creation({ email: "v@corp.test" })
    for (const challenge of [`${options.challenge}=`, `${options.challenge}\n`, options.challenge.toUpperCase()]) {
      const data = await v.device.create(options, { clientData: { challenge } })
      expect((await v.finish("register", data)).location).toBe(verificationRefused)
    }
    expect(host.logger.texts().join()).not.toContain(options.challenge)
    // The challenge is not consumed by any of these.
    const data = await v.device.create(options)
    expect((await v.finish("register", data)).location).toBe("https://app.test/in")
  })

  it.each([
    ["https://evil.test/path", "https://evil.test"],
    ["android:apk-key-hash:7d1043473d55bfa90e8530d35801d4e381bc69f0", null],
    ["android:apk-key-hash-sha256:lir5gIjf_2r4gVZ6RZTTOPKmM1tuMVc5AmxfAmPfIrI", null],
    ["ios:bundle-id:com.harbour.app", null],
    ["android:<script>", "android://"],
    ["not an origin", "an invalid origin"],
  ])("WAN-09: names the origin %s in the log, whole if it is that of an app", async (origin, shown) => {
    const { host, visitor } = openPasskeys({ strategy })
    await visitor().register("v@corp.test", { clientData: { origin } })
    expect(host.logger.errors[0]?.message).toBe(
      `clientData.origin: ${shown ?? origin}, relayingParty.origin has https://app.test`,
    )
  })

  it("WAN-15: rejects a certificate that was not requested before it is parsed", async () => {
    const { host, visitor } = openPasskeys({ strategy })
    await visitor().register("v@corp.test", { attestation: "packed-certificate" })
    expect(host.logger.errors[0]?.message).toBe("attestation: the statement was not requested")
    expect(host.logger.errors[0]?.cause).toBeUndefined()
  })

  it("WAN-15: rejects an attestation of a megabyte by its size", async () => {
    const { host, visitor } = openPasskeys({ strategy })
    const answer = await visitor().register("v@corp.test", { attestation: "huge" })
    expect([answer.status, host.logger.errorTypes()]).toEqual([413, ["InvalidRequest"]])
  })

  it("WAN-15: accepts self attestation", async () => {
    const { visitor } = openPasskeys({ strategy })
    for (const alg of ["ES256", "EdDSA", "RS256"] as const) {
      const answer = await visitor({ alg }).register(`${alg}@corp.test`, { attestation: "packed" })
      expect(answer.location).toBe("https://app.test/in")
    }
  })

  it("WAN-16: rejects a stored credential, and keeps its row", async () => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const credentialId = crypto.getRandomValues(new Uint8Array(32))
    const [w, v] = [visitor(), visitor()]
    await w.register("w@corp.test", { credentialId })
    const id = toStoredId(w.device.credentials[0]?.id ?? "")
    const before = await adapter.getAuthenticator(id)
    expect((await v.register("v@corp.test", { credentialId })).location).toBe(notLinked)
    expect(await adapter.getAuthenticator(id)).toEqual(before)
    expect(await adapter.getUserByEmail("v@corp.test")).toBeNull()
    expect(await v.browser.session()).toBeNull()
    expect(host.logger.errorTypes()).toEqual(["AccountNotLinked"])
  })

  it("WAN-16: accepts an id of 1023 bytes", async () => {
    const { visitor } = openPasskeys({ strategy })
    const answer = await visitor().register("v@corp.test", { credentialId: new Uint8Array(1023).fill(1) })
    expect(answer.location).toBe("https://app.test/in")
  })

  it("WAN-17: rejects a sign-up if the address was taken after the options were issued", async () => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const v = visitor()
    const data = await v.device.create(await v.creation({ email: "v@corp.test" }))
    await adapter.createUser({ id: "u", email: "v@corp.test", emailVerified: null })
    expect((await v.finish("register", data)).location).toBe(notLinked)
    expect(await adapter.listAuthenticatorsByUserId("u")).toEqual([])
    expect(host.logger.errorTypes()).toEqual(["AccountNotLinked"])
    expect(await v.browser.session()).toBeNull()
  })

  it.each<[string, boolean]>([
    ["signed in as another user", true],
    ["signed out", false],
  ])("WAN-18: rejects a registration that V began and that is completed %s", async (_, isElse) => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const v = visitor()
    await v.signInByPassword()
    const data = await v.device.create(await v.creation())
    const kept = v.browser.cookies.get(challengeCookie) ?? ""
    await v.browser.signOut()
    if (isElse) await visitor({ browser: v.browser }).register("w@corp.test")
    const before = passkeyWrites(adapter).length
    v.browser.cookies.set(challengeCookie, kept)
    expect((await v.finish("register", data)).location).toBe(notLinked)
    expect(passkeyWrites(adapter)).toHaveLength(before)
    expect(await adapter.listAuthenticatorsByUserId("u-v")).toEqual([])
    expect(host.logger.errorTypes()).toEqual(["AccountNotLinked"])
  })

  it("WAN-18: rejects a sign-up that is completed while signed in", async () => {
    const { adapter, visitor } = openPasskeys({ strategy })
    const v = visitor()
    const data = await v.device.create(await v.creation({ email: "new@corp.test" }))
    await v.signInByPassword()
    expect((await v.finish("register", data)).location).toBe(notLinked)
    expect([await adapter.listAuthenticatorsByUserId("u-v"), await adapter.getUserByEmail("new@corp.test")]).toEqual([
      [],
      null,
    ])
  })

  it("rejects the second of two responses to one challenge, also when concurrent", async () => {
    const { adapter, visitor } = openPasskeys({ strategy })
    const v = visitor()
    await v.signInByPassword()
    const options = await v.creation()
    const answers = [await v.device.create(options), await v.device.create(options)]
    const cookies = v.browser.cookies.list()
    const twin = visitor().browser
    for (const { name, value } of cookies) twin.cookies.set(name, value)
    const other = visitor({ browser: twin })
    const locations = await Promise.all([v.finish("register", answers[0]), other.finish("register", answers[1])])
    expect(locations.map(({ location }) => location).sort()).toEqual([checkRefused, "https://app.test/in"].sort())
    expect(await adapter.listAuthenticatorsByUserId("u-v")).toHaveLength(1)
  })
})

describe("verifyRegistrationOptions", () => {
  it("WAN-09, WAN-11: allow the listed origins and relying parties", async () => {
    const origin = ["https://app.test", "https://shop.test", "android:apk-key-hash:abc"]
    const { visitor } = openPasskeys({ passkey: { relayingParty: { id: ["app.test", "corp.test"], origin } } })
    for (const [index, listed] of origin.entries()) {
      const answer = await visitor({ origin: listed }).register(`v${index}@corp.test`, { rpId: "corp.test" })
      expect(answer.location).toBe("https://app.test/in")
    }
    expect((await visitor({ origin: "https://evil.test" }).register("x@corp.test")).location).toBe(verificationRefused)
  })

  it("WAN-10: allow frames in the listed origins only", async () => {
    const verifyRegistrationOptions = { expectedTopOrigin: ["https://shop.test"] }
    const { visitor } = openPasskeys({ passkey: { verifyRegistrationOptions } })
    const from = (topOrigin: string | undefined) => ({ clientData: { crossOrigin: true, topOrigin } })
    expect((await visitor().register("a@corp.test", from("https://shop.test"))).location).toBe("https://app.test/in")
    expect((await visitor().register("b@corp.test", from(undefined))).location).toBe("https://app.test/in")
    expect((await visitor().register("c@corp.test", from("https://evil.test"))).location).toBe(verificationRefused)
    const unframed = { clientData: { topOrigin: "https://shop.test" } }
    expect((await visitor().register("d@corp.test", unframed)).location).toBe(verificationRefused)
  })

  it("WAN-12: accept a response without user verification", async () => {
    const { visitor } = openPasskeys({ passkey: { verifyRegistrationOptions: { requireUserVerification: false } } })
    const answer = await visitor().register("v@corp.test", { flags: { uv: false } })
    expect(answer.location).toBe("https://app.test/in")
  })

  it("WAN-14: accept only the offered algorithms", async () => {
    const { visitor } = openPasskeys({ passkey: { registrationOptions: { supportedAlgorithmIDs: [-8] } } })
    expect((await visitor({ alg: "ES256" }).register("a@corp.test")).location).toBe(verificationRefused)
    expect((await visitor().register("b@corp.test")).location).toBe("https://app.test/in")
  })
})

describe("the form's action", () => {
  it.each([{}, { action: "" }, { action: "delete" }, { action: "Register" }])("rejects %j", async (fields) => {
    const { host, visitor } = openPasskeys()
    const v = visitor()
    await v.request()
    const answer = await post(v.browser, "/auth/callback/passkey", { data: "{}", ...fields })
    expect([answer.location, host.logger.errorTypes()]).toEqual([checkRefused, ["AuthError"]])
  })
})

describe("a challenge", () => {
  it("WAN-05: the challenge of a sign-in cannot register a passkey, or the reverse", async () => {
    const { host, visitor } = openPasskeys()
    const v = visitor()
    const request = await v.request()
    const creation = await visitor().creation({ email: "v@corp.test" })
    const made = await v.device.create({ ...creation, challenge: request.challenge })
    expect((await v.finish("register", made)).location).toBe(checkRefused)
    const w = visitor()
    await w.register("w@corp.test")
    await w.browser.signOut()
    const { challenge } = await w.creation({ email: "x@corp.test" })
    expect((await w.finish("authenticate", await w.device.get({ challenge }))).location).toBe(checkRefused)
    expect(host.logger.errorTypes()).toEqual(["InvalidCheck", "InvalidCheck"])
    expect([await v.browser.session(), await w.browser.session()]).toEqual([null, null])
  })

  it("WAN-05: the challenge of a sign-in cannot register a passkey for the current user", async () => {
    const { adapter, visitor } = openPasskeys()
    const v = visitor()
    await v.signInByPassword()
    const { challenge } = await v.request()
    const made = await v.device.create({ ...(await v.creation()), challenge })
    expect((await v.finish("register", made)).location).toBe(checkRefused)
    expect(await adapter.listAuthenticatorsByUserId("u-v")).toEqual([])
  })

  it("WAN-06: the challenge of another browser is rejected", async () => {
    const { host, visitor } = openPasskeys()
    const [a, b] = [visitor(), visitor()]
    await a.creation({ email: "a@corp.test" })
    const data = await a.device.create(await b.creation({ email: "b@corp.test" }))
    expect((await a.finish("register", data)).location).toBe(verificationRefused)
    const none = visitor()
    expect((await none.finish("register", data)).location).toBe(checkRefused)
    expect(host.logger.errorTypes()).toEqual(["WebAuthnVerificationError", "InvalidCheck"])
  })

  it("JWT-10, MAIL-17: is not accepted as a session or check cookie, or the reverse", async () => {
    using _ = fixedClock()
    const { host, visitor } = openPasskeys()
    const v = visitor()
    const data = await v.device.create(await v.creation({ email: "v@corp.test" }))
    const challenge = v.browser.cookies.get(challengeCookie) ?? ""
    const spoofed = host.newBrowser()
    spoofed.cookies.set("__Secure-authjs.session-token", challenge)
    expect(await spoofed.session()).toBeNull()
    const w = visitor()
    await w.register("w@corp.test")
    const session = w.browser.cookies.get("__Secure-authjs.session-token") ?? ""
    const csrf = v.browser.cookies.get("__Host-authjs.csrf-token") ?? ""
    for (const value of [session, csrf, "junk", ""]) {
      v.browser.cookies.set(challengeCookie, value)
      expect((await v.finish("register", data)).location).toBe(checkRefused)
    }
    v.browser.cookies.set(challengeCookie, challenge)
    expect((await v.finish("register", data)).location).toBe("https://app.test/in")
  })

  it("is found behind a cookie of the same name from a sibling domain", async () => {
    const { host, visitor } = openPasskeys()
    const v = visitor()
    const data = JSON.stringify(await v.device.create(await v.creation({ email: "v@corp.test" })))
    const csrfToken = await v.browser.csrfToken()
    const own = v.browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const cookie = [`${challengeCookie}=planted`, ...own].join("; ")
    const body = new URLSearchParams({ csrfToken, action: "register", data, callbackUrl: "/in" })
    const request = new Request("https://app.test/auth/callback/passkey", { method: "POST", body, headers: { cookie } })
    expect((await host.handler(request)).headers.get("location")).toBe("https://app.test/in")
  })

  it("is found behind as many cookies of a sibling domain as it may plant under longer paths", async () => {
    const { host, visitor } = openPasskeys()
    const v = visitor()
    const data = JSON.stringify(await v.device.create(await v.creation({ email: "v@corp.test" })))
    const csrfToken = await v.browser.csrfToken()
    const own = v.browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const planted = Array.from({ length: 20 }, (_, n) => [
      `${challengeCookie}=planted-${n}`,
      `${challengeCookie}.${`${n}`.padStart(19, "0")}=planted`,
    ])
    const cookie = [...planted.flat(), ...own].join("; ")
    const body = new URLSearchParams({ csrfToken, action: "register", data, callbackUrl: "/in" })
    const request = new Request("https://app.test/auth/callback/passkey", { method: "POST", body, headers: { cookie } })
    expect((await host.handler(request)).headers.get("location")).toBe("https://app.test/in")
  })

  it("is rejected when the store fails to consume it", async () => {
    const { host, adapter, visitor } = openPasskeys({
      adapter: { ...memoryAdapter(), consumeOnce: () => Promise.reject(new Error("down")) },
    })
    const v = visitor()
    expect((await v.register("v@corp.test")).location).toBe(checkRefused)
    expect(host.logger.errorTypes()).toEqual(["AdapterError"])
    expect(passkeyWrites(adapter)).toEqual([])
  })
})
