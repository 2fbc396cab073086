import {
  ChangeRefused,
  listPasskeys,
  listSignInMethods,
  removePasskey,
  renamePasskey,
  unlinkAccount,
  updateProfile,
} from "@latchkey/core/account-area"
import { type Browser, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { idOf, openArea, settings } from "../setup/area-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const requestOf = (browser: Browser) => new Request("https://app.test/", { headers: { cookie: cookiesOf(browser) } })

describe.each(settings)("the account functions for servers with %s sessions (%s)", (strategy, kind) => {
  it("change the profile, the sign-in methods and the passkeys of the signed-in user", async () => {
    const { host, adapter, signIn } = await openArea({ strategy, kind })
    const browser = await signIn()
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    const request = requestOf(browser)
    const headers = new Headers()
    expect(await updateProfile(request, host.config, { name: "Eve", headers })).toEqual({ name: "Eve", image: null })
    expect((await adapter.getUser(idOf("ada")))?.name).toBe("Eve")
    if (strategy === "jwt") expect(headers.getSetCookie().join()).toContain("authjs.session-token=")
    expect(await updateProfile(request, host.config, { image: null })).toEqual({ name: "Eve", image: null })
    const [key] = (await listPasskeys(request, host.config)) ?? []
    expect(await renamePasskey(request, host.config, { id: key?.id ?? "", name: "Laptop" })).toBe(true)
    expect((await listPasskeys(request, host.config))?.[0]?.name).toBe("Laptop")
    expect((await listSignInMethods(request, host.config))?.methods.map(({ kind }) => kind)).toEqual([
      "account",
      "passkey",
      "email",
    ])
    const account = { provider: "oauth", providerAccountId: "ada-1" }
    expect(await unlinkAccount(request, host.config, { ...account, providerAccountId: "bob-1" })).toBe(false)
    expect(await unlinkAccount(request, host.config, account)).toBe(true)
    await adapter.updateUser({ id: idOf("ada"), emailVerified: null })
    await expect(removePasskey(request, host.config, key?.id ?? "")).rejects.toThrow(ChangeRefused)
    await adapter.updateUser({ id: idOf("ada"), emailVerified: new Date() })
    expect(await removePasskey(request, host.config, key?.id ?? "")).toBe(true)
    expect(await removePasskey(request, host.config, key?.id ?? "")).toBe(false)
  })

  it("refuse a visitor without a session, and one without a recent proof", async () => {
    using clock = fixedClock()
    const { host, adapter, signIn } = await openArea({ strategy, kind })
    const stranger = new Request("https://app.test/")
    expect(await updateProfile(stranger, host.config, { name: "Eve" })).toBeNull()
    expect([await listSignInMethods(stranger, host.config), await listPasskeys(stranger, host.config)]).toEqual([
      null,
      null,
    ])
    expect(await removePasskey(stranger, host.config, "x")).toBe(false)
    const request = requestOf(await signIn())
    clock.advance({ minutes: 11 })
    const stale = { type: "FreshnessRequired" }
    const account = { provider: "oauth", providerAccountId: "ada-1" }
    await expect(unlinkAccount(request, host.config, account)).rejects.toMatchObject(stale)
    expect(await adapter.listAccountsByUserId(idOf("ada"))).toHaveLength(1)
    expect((await updateProfile(request, host.config, { name: "Eve" }))?.name).toBe("Eve")
    expect((await adapter.getUser(idOf("ada")))?.name).toBe("Eve")
  })
})

describe("the account functions for servers", () => {
  it("refuse a configuration without the area, or without what the section needs", async () => {
    const { host, signIn } = await openArea({ lacks: ["listAccountsByUserId"] })
    const request = requestOf(await signIn())
    const { accountArea: _, ...without } = host.config
    await expect(listPasskeys(request, without)).rejects.toThrow("accountArea: the section passkeys is not offered")
    await expect(listSignInMethods(request, host.config)).rejects.toThrow(
      "accountArea: the section methods is not offered",
    )
  })
})
