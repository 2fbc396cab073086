import type { AccountAreaOptions } from "@latchkey/core/account-area"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { call, idOf, load, openArea, read, send, strategies } from "../setup/area-setup.js"

const download = { action: "download" }

const secrets = {
  refresh_token: "refresh-token-of-ada",
  access_token: "access-token-of-ada",
  id_token: "id-token-of-ada",
}

describe.each(strategies)("the export in the account area, with %s sessions", (strategy) => {
  async function open(area?: AccountAreaOptions) {
    const opened = await openArea({ strategy, ...(area && { area }) })
    const { adapter } = opened
    const userId = idOf("ada")
    await adapter.linkAccount({ provider: "oidc", providerAccountId: "a-1", type: "oidc", userId, ...secrets })
    await adapter.setPassword({ userId, hash: "$argon2id$hash-of-ada", changedAt: new Date(1), from: null })
    const createdAt = new Date(2)
    const factor = { id: "f-1", userId, label: "Phone", lastStep: null, version: 0, createdAt, lastUsedAt: null }
    await adapter.createFactor({ ...factor, kind: "totp", secret: "secret-of-ada" })
    const row = { ...factor, label: null, secret: "none" }
    await adapter.createFactor({ ...row, id: "d-1", kind: "device", createdAt: new Date(3) })
    await adapter.createFactor({ ...row, id: "e-1", kind: "ending" })
    await adapter.createFactor({ ...row, id: "x-1", kind: "of a later version" })
    const key = {
      credentialID: btoa("key-1"),
      providerAccountId: btoa("key-1"),
      credentialPublicKey: btoa("public-key"),
    }
    const device = { credentialDeviceType: "multiDevice", credentialBackedUp: true, counter: 0, transports: "internal" }
    await adapter.createAuthenticator({ ...key, ...device, userId })
    return opened
  }

  it("ACC-07: is a file with what is kept about the user, without hashes, keys and tokens", async () => {
    const { signIn } = await open({ exportUser: ({ id }) => ({ orders: [`order of ${id}`] }) })
    const browser = await signIn()
    const answer = await call(browser, "export", download)
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="account-data.json"')
    expect(answer.headers.get("cache-control")).toContain("no-store")
    expect(answer.headers.get("content-type")).toContain("application/json")
    expect(answer.json()).toMatchObject({
      user: { id: idOf("ada"), name: "ADA", email: "ada@example.com" },
      accounts: [
        { provider: "oauth", providerAccountId: "ada-1" },
        { provider: "oidc", providerAccountId: "a-1" },
      ],
      passkeys: [{ deviceType: "multiDevice", isBackedUp: true }],
      password: { changedAt: "1970-01-01T00:00:00.001Z" },
      secondFactors: [{ kind: "totp", label: "Phone", createdAt: "1970-01-01T00:00:00.002Z", lastUsedAt: null }],
      rememberedDevices: [{ createdAt: "1970-01-01T00:00:00.003Z", lastUsedAt: null }],
      sessions: [{ isCurrent: true, provider: "cred" }],
      app: { orders: [`order of ${idOf("ada")}`] },
    })
    // Pretty-printed, for people.
    expect(answer.text.startsWith('{\n  "exportedAt": "')).toBe(true)
    for (const secret of [
      ...Object.values(secrets),
      "hash-of-ada",
      "secret-of-ada",
      btoa("public-key"),
      btoa("key-1"),
    ]) {
      expect(answer.text).not.toContain(secret)
    }
    for (const { value } of browser.cookies.list()) expect(answer.text).not.toContain(value)
  })

  it("ACC-07: has nothing of other users", async () => {
    const { signIn } = await open()
    const answer = await call(await signIn("bob"), "export", download)
    expect(answer.status).toBe(200)
    expect(answer.text).not.toMatch(/ada/i)
    expect(answer.json()).not.toHaveProperty("app")
  })

  it("ACC-07: is given once an hour, to each user on their own, whatever the number of requests", async () => {
    using clock = fixedClock()
    const { signIn } = await open()
    const browser = await signIn()
    const answers = await Promise.all(Array.from({ length: 5 }, () => call(browser, "export", download)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
    const other = await signIn("ada")
    const again = await call(other, "export", download)
    expect([again.status, Object(again.json()).code]).toEqual([400, "hourly"])
    expect((await send(other, "export", download)).text).toContain("once an hour")
    expect((await call(await signIn("bob"), "export", download)).status).toBe(200)
    clock.advance({ minutes: 61 })
    expect((await call(await signIn("ada"), "export", download)).status).toBe(200)
  })

  it("ACC-07: is refused to a stale session, a form of another site, and a GET", async () => {
    using clock = fixedClock()
    const { signIn } = await open()
    const browser = await signIn()
    const body = new URLSearchParams(download)
    expect((await browser.fetch("/auth/account/export", { method: "POST", body })).status).not.toBe(200)
    expect((await read(browser, "/export?action=download")).json()).toEqual({ everySeconds: 3600 })
    clock.advance({ minutes: 11 })
    const stale = await call(browser, "export", download)
    expect([stale.status, Object(stale.json()).error]).toEqual([403, "FreshnessRequired"])
    expect((await load(browser, "/export")).text).not.toContain("<form")
  })

  it("ACC-07: can be asked for again after it has failed", async () => {
    let isAway = true
    const exportUser = () => {
      if (isAway) throw new Error("away")
      return null
    }
    const { signIn } = await open({ exportUser })
    const browser = await signIn()
    expect((await call(browser, "export", download)).status).toBe(500)
    isAway = false
    expect((await call(browser, "export", download)).status).toBe(200)
  })

  it("is not shown with an adapter that cannot count for all processes", async () => {
    const { signIn } = await openArea({ strategy, lacks: ["takeLease"] })
    const browser = await signIn()
    expect((await read(browser, "/export")).status).toBe(404)
    expect((await call(browser, "export", download)).status).toBe(404)
  })
})
