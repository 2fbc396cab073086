import { passkeyFactor, recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { call, idOf, load, openArea, read, send, settings } from "../setup/area-setup.js"

interface Listed {
  readonly passkeys: readonly { readonly id: string; readonly name: string | null; readonly canRemove: boolean }[]
}

describe.each(settings)("the passkeys of the account area with %s sessions (%s)", (strategy, kind) => {
  const open = async (options: Parameters<typeof openArea>[0] = {}) => {
    const opened = await openArea({ strategy, kind, ...options })
    const browser = await opened.signIn()
    const device = softwareAuthenticator()
    await passkeyClient({ browser, device }).register()
    const keys = () => opened.adapter.listAuthenticatorsByUserId(idOf("ada"))
    const [key] = await keys()
    return { ...opened, browser, device, keys, id: key?.credentialID ?? "" }
  }

  it("are listed, named and removed", async () => {
    const { browser, id, device, host, keys, adapter } = await open()
    const { passkeys } = (await read(browser, "/passkeys")).json() as Listed
    expect(passkeys).toEqual([
      expect.objectContaining({ id, name: null, lastUsedAt: null, canRemove: true, isSecurityKey: false }),
    ])
    const name = `  My\u0007 \u202Elaptop${"x".repeat(100)}`
    expect((await send(browser, "passkeys", { action: "rename", id, name })).location).toContain("done=renamed")
    expect((await keys())[0]?.name).toBe(`My laptop${"x".repeat(51)}`)
    expect((await load(browser, "/passkeys?done=renamed")).text).toContain("The passkey was renamed.")
    expect((await send(browser, "passkeys", { action: "remove", id })).location).toContain("done=removed")
    expect(await keys()).toEqual([])
    expect((await adapter.listAccountsByUserId(idOf("ada"))).map(({ provider }) => provider)).toEqual(["oauth"])
    const thief = host.newBrowser()
    await passkeyClient({ browser: thief, device })
      .signIn()
      .catch(() => undefined)
    expect(await thief.session()).toBeNull()
  })

  it("another user's passkeys are unknown, and stay as they are", async () => {
    const { signIn, id, keys } = await open()
    const bob = await signIn("bob")
    for (const action of ["rename", "remove"]) {
      const answer = await call(bob, "passkeys", { action, id, name: "Bob's" })
      expect([answer.status, answer.json()]).toEqual([404, { error: "NotFound" }])
      expect((await send(bob, "passkeys", { action, id, name: "Bob's" })).location).toContain("done=gone")
    }
    expect((await keys()).map(({ name }) => name ?? null)).toEqual([null])
  })

  it("are added and removed only with a recent proof, and renamed without one", async () => {
    using clock = fixedClock()
    const { browser, id, keys } = await open()
    clock.advance({ minutes: 11 })
    expect((await call(browser, "passkeys", { action: "remove", id })).status).toBe(403)
    expect((await call(browser, "passkeys", { action: "rename", id, name: "x" })).json()).toEqual({ name: "x" })
    const added = passkeyClient({ browser, device: softwareAuthenticator() })
    expect((await added.ask({ action: "register" })).status).toBe(403)
    expect(await keys()).toHaveLength(1)
  })

  it("ACC-04: are not removed if the user could not sign in again", async () => {
    const { browser, id, adapter, keys } = await open()
    await adapter.updateUser({ id: idOf("ada"), emailVerified: null })
    await adapter.unlinkAccount?.({ provider: "oauth", providerAccountId: "ada-1" })
    const refused = await call(browser, "passkeys", { action: "remove", id })
    expect([refused.status, refused.json()]).toMatchObject([400, { code: "last-sign-in-method" }])
    const { passkeys } = (await read(browser, "/passkeys")).json() as Listed
    expect(passkeys.map(({ canRemove }) => canRemove)).toEqual([false])
    expect(await keys()).toHaveLength(1)
    expect(await adapter.getAccount(id, "passkey")).not.toBeNull()
  })

  it("ACC-05: end the sessions that began with them", async () => {
    const { browser, id, device, host } = await open()
    const other = host.newBrowser()
    await passkeyClient({ browser: other, device }).signIn()
    expect((await read(other)).status).toBe(200)
    expect((await call(browser, "passkeys", { action: "remove", id })).status).toBe(200)
    expect([(await read(other)).status, (await read(browser)).status]).toEqual([401, 200])
  })

  it("have no names in a store that cannot keep them", async () => {
    const { browser, id } = await open({ lacks: ["updateAuthenticator"] })
    expect((await read(browser, "/passkeys")).json()).toMatchObject({ canRename: false })
    expect((await call(browser, "passkeys", { action: "rename", id, name: "x" })).status).toBe(404)
    expect((await load(browser, "/passkeys")).text).not.toContain('value="rename"')
  })

  it("are removed without an account, which signs nobody in", async () => {
    const { browser, id, adapter, keys } = await open()
    await adapter.unlinkAccount?.({ provider: "passkey", providerAccountId: id })
    expect((await call(browser, "passkeys", { action: "remove", id })).status).toBe(200)
    expect(await keys()).toEqual([])
  })
})

describe("a passkey that is a second factor", () => {
  it("is not removed where one is required, and takes the recovery codes along elsewhere", async () => {
    let isRequired = false
    const { adapter, host, signIn } = await openArea({
      kind: "guarded",
      secondFactors: secondFactors({ factors: [totp(), passkeyFactor(), recoveryCodes()], require: () => isRequired }),
    })
    const device = softwareAuthenticator()
    await passkeyClient({ browser: await signIn(), device }).register()
    const [key] = await adapter.listAuthenticatorsByUserId(idOf("ada"))
    const factor = { id: "r", userId: idOf("ada"), kind: "recovery", secret: "sealed", label: null, version: 0 }
    await adapter.createFactor?.({ ...factor, lastStep: null, createdAt: new Date(), lastUsedAt: null })
    isRequired = true
    const browser = host.newBrowser()
    await passkeyClient({ browser, device }).signIn()
    const fields = { action: "remove", id: key?.credentialID ?? "" }
    const refused = await call(browser, "passkeys", fields)
    expect([refused.status, refused.json()]).toMatchObject([400, { code: "required" }])
    expect(await adapter.listAuthenticatorsByUserId(idOf("ada"))).toHaveLength(1)
    isRequired = false
    expect((await call(browser, "passkeys", fields)).status).toBe(200)
    expect(await adapter.listAuthenticatorsByUserId(idOf("ada"))).toEqual([])
    expect((await adapter.listFactors?.(idOf("ada")))?.map(({ kind }) => kind)).toEqual(["ending"])
    expect(host.events.of("factorRemoved")).toEqual([{ userId: idOf("ada"), kind: "recovery" }])
  })
})
