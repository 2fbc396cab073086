import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { createSealer } from "../../crypto/seal.js"
import { createAccountPlace, createAccountVault, sealTokens } from "./account-vault.js"

const secret = "a secret of at least thirty-two characters"
const sealer = createSealer([secret])
const key = { provider: "idp", providerAccountId: "ada-at-idp", userId: "ada" }
const tokens = { access_token: "access-1", refresh_token: "refresh-1", id_token: "id-1", scope: "a", expires_at: 5 }

async function setUp(stored: object = tokens) {
  const store = memoryAdapter()
  for (const id of ["ada", "ben"]) await store.createUser({ id, email: `${id}@example.com`, emailVerified: null })
  await store.linkAccount({ ...key, type: "oidc", ...stored })
  const vault = createAccountVault({ store, sealer, isSealing: true, key })
  const row = () => store.getAccount(key.providerAccountId, key.provider)
  return { store, vault, row }
}

describe("the tokens of a linked account", () => {
  it.each([
    ["account", { ...key, providerAccountId: "ben-at-idp" }],
    ["provider", { ...key, provider: "other" }],
    ["user", { ...key, userId: "ben" }],
  ])("KEEP-03: do not open in the row of another %s", async (_, other) => {
    const { vault } = await setUp(await sealTokens(tokens, other, sealer))
    expect(await vault.read()).toEqual({ scope: "a", expires_at: 5 })
  })

  it("KEEP-03: do not open in another field", async () => {
    const sealed = await sealTokens(tokens, key, sealer)
    const { vault } = await setUp({ ...sealed, access_token: sealed.refresh_token })
    expect(await vault.read()).not.toHaveProperty("access_token")
  })

  it("KEEP-03: do not open in another row or field either when this process has just opened them", async () => {
    const { store } = await setUp(await sealTokens(tokens, key, sealer))
    const row = await store.getAccount(key.providerAccountId, key.provider)
    const { access_token = "", refresh_token = "" } = row ?? {}
    const place = createAccountPlace({ store, secrets: [secret] } as never, true)
    const peek = async (userId: string) => (await place.list(userId, {} as never, "idp"))[0]?.vault.peek?.()
    for (let n = 0; n < 2; n++) expect(await peek("ada")).toMatchObject({ access_token: "access-1" })
    await store.linkAccount({ ...key, providerAccountId: "ben-at-idp", userId: "ben", type: "oidc", access_token })
    expect(await peek("ben")).toEqual({})
    await store.replaceTokens(key, { from: refresh_token, tokens: { access_token: refresh_token } })
    expect(await peek("ada")).not.toHaveProperty("access_token")
  })

  it("are not remembered as they were when the row has others", async () => {
    const { store } = await setUp(await sealTokens(tokens, key, sealer))
    const place = createAccountPlace({ store, secrets: [secret] } as never, true)
    const open = async () => (await place.list("ada", {} as never, "idp"))[0]?.vault ?? expect.fail("no account")
    expect(await (await open()).peek?.()).toMatchObject({ access_token: "access-1" })
    const vault = await open()
    await vault.read()
    expect(await vault.replace("refresh-1", { ...tokens, access_token: "access-2" })).toBe(true)
    expect(await (await open()).peek?.()).toMatchObject({ access_token: "access-2" })
    await vault.clear()
    expect(await (await open()).peek?.()).not.toHaveProperty("access_token")
  })

  it("share one key, so that those of many users do not displace the key of the sessions", async () => {
    const others = Array.from({ length: 3 }, (_, n) => ({ ...key, userId: `user-${n}` }))
    const sealed = await Promise.all(others.map((other) => sealTokens(tokens, other, sealer)))
    const texts = sealed.flatMap(({ access_token, refresh_token, id_token }) => [access_token, refresh_token, id_token])
    const headers = new Set(texts.map((text) => text?.split(".", 1)[0]))
    expect([texts.length, headers.size]).toEqual([9, 1])
  })

  it("KEEP-04: are not those of an account that belongs to another user", async () => {
    const { store } = await setUp()
    const vault = createAccountVault({ store, sealer, isSealing: true, key: { ...key, userId: "ben" } })
    expect(await vault.read()).toBeNull()
  })

  it("KEEP-08: are ciphertext in the store", async () => {
    const { vault, row } = await setUp()
    await vault.read()
    expect(await vault.replace("refresh-1", { ...tokens, access_token: "access-2" })).toBe(true)
    expect(JSON.stringify(await row())).not.toMatch(/access-2|refresh-1|id-1/)
    expect(await vault.read()).toEqual({ ...tokens, access_token: "access-2" })
  })

  it("KEEP-08: open after the secret was rotated, and are sealed with the new one when they are written", async () => {
    const { store } = await setUp(await sealTokens(tokens, key, sealer))
    const next = "another secret of thirty-two characters"
    const rotated = createAccountVault({ store, sealer: createSealer([next, secret]), isSealing: true, key })
    expect(await rotated.read()).toEqual(tokens)
    await rotated.replace("refresh-1", tokens)
    const without = createAccountVault({ store, sealer: createSealer([next]), isSealing: true, key })
    expect(await without.read()).toEqual(tokens)
  })

  it("are read if they were stored in clear, and sealed when they are written", async () => {
    const { vault, row } = await setUp()
    expect(await vault.read()).toEqual(tokens)
    await vault.replace("refresh-1", tokens)
    expect((await row())?.refresh_token).toMatch(/^sealed:/)
  })

  it("are not replaced when another caller has written meanwhile", async () => {
    const { store, vault } = await setUp()
    await vault.read()
    const other = createAccountVault({ store, sealer, isSealing: true, key })
    await other.read()
    expect(await other.replace("refresh-1", { ...tokens, refresh_token: "refresh-2" })).toBe(true)
    expect(await vault.replace("refresh-1", { ...tokens, refresh_token: "refresh-3" })).toBe(false)
    expect(await vault.read()).toMatchObject({ refresh_token: "refresh-2" })
  })
})
