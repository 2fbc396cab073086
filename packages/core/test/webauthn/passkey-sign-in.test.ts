import { toStoredId } from "@latchkey/testkit"
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
import { get, post } from "../setup/requests.js"
import { expectQuiet } from "../setup/sign-ins.js"

const inside = "https://app.test/in"

describe.each(strategies)("passkeys, with %s sessions", (strategy) => {
  it("CSRF-13: rejects a valid assertion without the CSRF token, before any adapter call", async () => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const v = visitor()
    await v.register("v@corp.test")
    const fresh = visitor({ browser: host.newBrowser() })
    const options = await fresh.request()
    const data = JSON.stringify(await v.device.get(options))
    const before = adapter.calls.length
    const body = new URLSearchParams({ action: "authenticate", data })
    const response = await fresh.browser.fetch("/auth/callback/passkey", { method: "POST", body })
    expect(response.headers.get("location")).toBe("https://app.test/auth/signin?error=MissingCSRF")
    expect(adapter.calls.length).toBe(before)
    expect(await fresh.browser.session()).toBeNull()
  })

  it("WAN-27: starts no session and creates no user when the signIn callback refuses", async () => {
    const { host, adapter, visitor } = openPasskeys({ strategy, callbacks: { signIn: () => false } })
    const v = visitor()
    expect((await v.register("v@corp.test")).location).toBe("https://app.test/auth/error?error=AccessDenied")
    await expectQuiet(host, v.browser, adapter)
    expect(passkeyWrites(adapter)).toEqual([])
  })

  it("WAN-27: redirects to the URL of the signIn callback, without a session", async () => {
    let answer: boolean | string = true
    const { visitor } = openPasskeys({ strategy, callbacks: { signIn: () => answer } })
    const v = visitor()
    await v.register("v@corp.test")
    await v.browser.signOut()
    answer = "/more"
    expect((await v.signIn()).location).toBe("https://app.test/more")
    expect(await v.browser.session()).toBeNull()
  })

  it("creates a user who signs up with a passkey, and sends the events", async () => {
    const asked: unknown[] = []
    const { host, adapter, visitor } = openPasskeys({
      strategy,
      callbacks: {
        signIn: (params) => {
          asked.push(params)
          return true
        },
      },
    })
    const v = visitor({ firstCounter: 5 })
    const answer = await v.register("V@Corp.test")
    expect([answer.status, answer.location]).toEqual([302, inside])
    expect((await v.browser.session())?.user?.email).toBe("v@corp.test")
    const user = await adapter.getUserByEmail("v@corp.test")
    const credentialID = toStoredId(v.device.credentials[0]?.id ?? "")
    const account = { providerAccountId: credentialID, provider: "passkey", type: "webauthn" }
    expect(asked).toEqual([{ user: { id: user?.id, email: "v@corp.test" }, account }])
    expect(await adapter.getAccount(credentialID, "passkey")).toEqual({ ...account, userId: user?.id })
    expect(adapter.calls.find(({ method }) => method === "createAuthenticator")?.args).toEqual([
      {
        credentialID,
        providerAccountId: credentialID,
        userId: user?.id,
        credentialPublicKey: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
        counter: 5,
        credentialDeviceType: "multiDevice",
        credentialBackedUp: true,
        transports: "hybrid,internal",
      },
    ])
    expect(host.events.names().filter((name) => name !== "session")).toEqual(["createUser", "linkAccount", "signIn"])
    expect(host.events.of("signIn")[0]).toMatchObject({ account, isNewUser: true })
    expect(user?.emailVerified).toBeNull()
  })

  it("signs in with a discoverable credential without input", async () => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const v = visitor({ firstCounter: 1 })
    await v.register("v@corp.test")
    await v.browser.signOut()
    const options = await v.request()
    expect(options).not.toHaveProperty("allowCredentials")
    const answer = await v.finish("authenticate", await v.device.get(options))
    expect([answer.status, answer.location]).toEqual([302, inside])
    expect((await v.browser.session())?.user?.email).toBe("v@corp.test")
    expect(host.events.of("signIn")[1]).toMatchObject({ account: { type: "webauthn" }, isNewUser: false })
    const [own] = await adapter.listAuthenticatorsByUserId((await adapter.getUserByEmail("v@corp.test"))?.id ?? "")
    expect(own).toMatchObject({ counter: 2, lastUsedAt: expect.any(Date) })
  })

  it("signs in with one of the credentials of the address", async () => {
    const { visitor } = openPasskeys({ strategy })
    const v = visitor()
    await v.register("v@corp.test")
    await v.browser.signOut()
    const options = await v.request({ email: " V@corp.test" })
    const [own] = v.device.credentials
    expect(options.allowCredentials).toEqual([{ id: own?.id, type: "public-key", transports: ["hybrid", "internal"] }])
    expect((await v.finish("authenticate", await v.device.get(options))).location).toBe(inside)
    expect(await v.browser.session()).not.toBeNull()
  })

  it("DBS-11: adds a passkey to the current user, and renews a stored session", async () => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const v = visitor()
    await v.signInByPassword()
    const before = v.browser.cookies.get("__Secure-authjs.session-token")
    const options = await v.creation()
    expect(options.user).toMatchObject({ name: "v@corp.test", displayName: "V" })
    expect((await v.finish("register", await v.device.create(options))).location).toBe(inside)
    expect(await adapter.listAuthenticatorsByUserId("u-v")).toHaveLength(1)
    expect(adapter.calls.filter(({ method }) => method === "createUser")).toHaveLength(1)
    expect(host.events.of("linkAccount")).toHaveLength(1)
    if (strategy === "database") expect(await adapter.getSessionAndUser(before ?? "")).toBeNull()
    expect((await v.browser.session())?.user?.email).toBe("v@corp.test")
    const other = visitor()
    const signedIn = await other.finish("authenticate", await v.device.get(await other.request()))
    expect(signedIn.location).toBe(inside)
    expect((await other.browser.session())?.user?.email).toBe("v@corp.test")
  })

  it("excludes the user's passkeys when registering another one", async () => {
    const { visitor } = openPasskeys({ strategy })
    const v = visitor()
    await v.register("v@corp.test")
    const options = await v.creation()
    expect(options.excludeCredentials).toMatchObject([{ id: v.device.credentials[0]?.id, type: "public-key" }])
    await expect(v.device.create(options)).rejects.toThrow("InvalidStateError")
  })

  it("uses one user handle without personal data for all passkeys of a user", async () => {
    const { visitor } = openPasskeys({ strategy })
    const v = visitor()
    const first = await v.creation({ email: "v@corp.test" })
    await v.finish("register", await v.device.create(first))
    const second = await v.creation()
    expect(second.user.id).toBe(first.user.id)
    expect(Buffer.from(second.user.id, "base64url").toString()).not.toContain("corp")
  })

  it("rejects the passkey of another user than the one who is signed in", async () => {
    const { visitor } = openPasskeys({ strategy })
    const [v, w] = [visitor(), visitor()]
    await v.register("v@corp.test")
    await w.register("w@corp.test")
    const { allowCredentials, ...options } = await w.request()
    expect(allowCredentials?.map(({ id }) => id)).toEqual(w.device.credentials.map(({ id }) => id))
    expect((await w.finish("authenticate", await v.device.get(options))).location).toBe(verificationRefused)
    expect((await w.browser.session())?.user?.email).toBe("w@corp.test")
  })

  it("rejects a registration after signing in as another user", async () => {
    const { host, visitor } = openPasskeys({ strategy })
    const [v, w] = [visitor(), visitor()]
    await v.register("v@corp.test")
    const options = await w.request()
    await w.register("w@corp.test")
    const answer = await w.finish("authenticate", await v.device.get(options))
    expect(answer.location).toBe(notLinked)
    expect(host.logger.errorTypes()).toEqual(["AccountNotLinked"])
    expect((await w.browser.session())?.user?.email).toBe("w@corp.test")
  })

  it("returns redirects as JSON to scripts", async () => {
    const { visitor } = openPasskeys({ strategy })
    const v = visitor()
    const data = JSON.stringify(await v.device.create(await v.creation({ email: "v@corp.test" })))
    const headers = { "x-auth-return-redirect": "1" }
    const answer = await post(
      v.browser,
      "/auth/callback/passkey",
      { action: "register", data, callbackUrl: "/in" },
      { headers },
    )
    expect([answer.status, answer.json()]).toEqual([200, { url: inside }])
    expect(answer.cookies.get(challengeCookie)?.attributes).toContain("Max-Age=0")
    const again = await post(v.browser, "/auth/callback/passkey", { action: "register", data }, { headers })
    expect([again.status, again.json()]).toEqual([200, { url: checkRefused }])
  })

  it("redirects new users to the app's page", async () => {
    const { visitor } = openPasskeys({ strategy, pages: { newUser: "/welcome" } })
    const v = visitor()
    expect((await v.register("v@corp.test")).location).toContain("/welcome?callbackUrl=")
    await v.browser.signOut()
    expect((await v.signIn()).location).toBe(inside)
  })

  it.each(["ES256", "EdDSA", "RS256"] as const)("accepts keys of %s", async (alg) => {
    const { visitor } = openPasskeys({ strategy })
    const v = visitor({ alg })
    expect((await v.register("v@corp.test")).location).toBe(inside)
    await v.browser.signOut()
    expect((await v.signIn()).location).toBe(inside)
  })

  it("stores the authenticator's data, and updates it", async () => {
    const { adapter, visitor } = openPasskeys({ strategy })
    const v = visitor({ flags: { bs: false }, transports: [] })
    await v.register("v@corp.test")
    const { id = "" } = (await adapter.getUserByEmail("v@corp.test")) ?? {}
    const listed = async () => (await adapter.listAuthenticatorsByUserId(id))[0]
    expect(await listed()).toMatchObject({ credentialDeviceType: "multiDevice", credentialBackedUp: false })
    expect((await listed())?.transports).toBeNull()
    await v.signIn({ flags: { bs: true } })
    expect(await listed()).toMatchObject({ credentialDeviceType: "multiDevice", credentialBackedUp: true })
    const w = visitor({ flags: { be: false, bs: false }, transports: ["usb", "usb", "made up!"] })
    await w.register("w@corp.test")
    const other = await adapter.listAuthenticatorsByUserId((await adapter.getUserByEmail("w@corp.test"))?.id ?? "")
    expect(other).toMatchObject([
      { credentialDeviceType: "singleDevice", credentialBackedUp: false, transports: "usb" },
    ])
  })
})

describe("POST /signin/<passkey>", () => {
  it("redirects to the sign-in page", async () => {
    const { visitor } = openPasskeys()
    const answer = await post(visitor().browser, "/auth/signin/passkey")
    expect([answer.status, answer.location]).toEqual([302, "https://app.test/auth/signin"])
  })
})

describe("GET /callback/<passkey>", () => {
  it("is refused", async () => {
    const { host, visitor } = openPasskeys()
    expect((await get(visitor().browser, "/auth/callback/passkey")).location).toBe(checkRefused)
    expect(host.logger.errorTypes()).toEqual(["InvalidProvider"])
  })
})

describe("signing up", () => {
  it("deletes the new user when the passkey cannot be stored, so that the address stays free", async () => {
    let isDown = true
    const { host, adapter, visitor } = openPasskeys({
      adapter: {
        linkAccount: async (account) => {
          if (isDown) throw new Error("down")
          await adapter.linkAccount(account)
        },
      },
    })
    const v = visitor()
    expect((await v.register("v@corp.test")).location).toBe(checkRefused)
    expect(host.logger.errorTypes()).toEqual(["AdapterError"])
    expect([await adapter.getUserByEmail("v@corp.test"), await v.browser.session()]).toEqual([null, null])
    isDown = false
    expect((await v.register("v@corp.test")).location).toBe(inside)
  })

  it("creates one user for two concurrent sign-ups with one address", async () => {
    const { adapter, visitor } = openPasskeys()
    const people = [visitor(), visitor()]
    const data = await Promise.all(
      people.map(async (person) => person.device.create(await person.creation({ email: "v@corp.test" }))),
    )
    const answers = await Promise.all(people.map((person, index) => person.finish("register", data[index])))
    expect(answers.map(({ location }) => location).sort()).toEqual([notLinked, inside].sort())
    const user = await adapter.getUserByEmail("v@corp.test")
    expect(await adapter.listAuthenticatorsByUserId(user?.id ?? "")).toHaveLength(1)
  })

  it("works with a store that assigns its own ids", async () => {
    const { adapter, visitor } = openPasskeys({
      adapter: { createUser: async (user) => adapter.createUser({ ...user, id: `own-${user.email}` }) },
    })
    const v = visitor()
    expect((await v.register("v@corp.test")).location).toBe(inside)
    await v.browser.signOut()
    expect((await v.signIn()).location).toBe(inside)
  })
})
