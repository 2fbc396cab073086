import { accessTokens } from "@latchkey/core/access-tokens"
import { type AccountAreaOptions, accountArea } from "@latchkey/core/account-area"
import Passwords from "@latchkey/core/providers/passwords"
import { passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openService } from "../../src/open-service.js"
import { call, idOf, load, openArea, read, send, settings } from "../setup/area-setup.js"

const oauth = { action: "unlink", provider: "oauth", id: "ada-1" }

describe.each(settings)("sign-in methods with %s sessions (%s)", (strategy, kind) => {
  const open = async (options: Parameters<typeof openArea>[0] = {}) => {
    const opened = await openArea({ strategy, kind, ...options })
    const { adapter } = opened
    return {
      ...opened,
      ownerOf: async (providerAccountId: string, provider = "oauth") =>
        (await adapter.getUserByAccount({ provider, providerAccountId }))?.id,
      unproved: () => adapter.updateUser({ id: idOf("ada"), emailVerified: null }),
    }
  }

  it("ACC-04: are never removed if the user could not sign in again", async () => {
    const { signIn, unproved, ownerOf, host } = await open()
    await unproved()
    const browser = await signIn()
    const refused = await call(browser, "methods", oauth)
    expect([refused.status, refused.json()]).toMatchObject([
      400,
      { error: "ChangeRefused", code: "last-sign-in-method" },
    ])
    const page = await send(browser, "methods", oauth)
    expect(page.status).toBe(400)
    expect(page.text).toContain("This is your only way to sign in. Add another one first.")
    expect((await load(browser, "/methods")).text).not.toContain('value="unlink"')
    expect(await ownerOf("ada-1")).toBe(idOf("ada"))
    expect(host.events.of("accountUnlinked")).toEqual([])
  })

  it("ACC-04: are not removed for an account at a provider that is no longer offered", async () => {
    const { signIn, unproved, adapter, ownerOf } = await open()
    await unproved()
    await adapter.linkAccount({ provider: "gone", providerAccountId: "x", type: "oauth", userId: idOf("ada") })
    const browser = await signIn()
    expect((await call(browser, "methods", oauth)).status).toBe(400)
    // One that does not work may go.
    expect((await call(browser, "methods", { ...oauth, provider: "gone", id: "x" })).status).toBe(200)
    expect([await ownerOf("ada-1"), await ownerOf("x", "gone")]).toEqual([idOf("ada"), undefined])
  })

  it("ACC-04: keep one of two that are removed at the same time", async () => {
    const { signIn, unproved, adapter } = await open()
    await unproved()
    await adapter.linkAccount({ provider: "oidc", providerAccountId: "x", type: "oidc", userId: idOf("ada") })
    const browser = await signIn()
    await browser.csrfToken()
    const answers = await Promise.all([
      call(browser, "methods", oauth),
      call(browser, "methods", { ...oauth, provider: "oidc", id: "x" }),
    ])
    const left = await adapter.listAccountsByUserId(idOf("ada"))
    expect(left.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 200).length).toBe(2 - left.length)
  })

  it("ACC-04: another user's sign-in methods are unknown, and stay", async () => {
    const { signIn, ownerOf } = await open()
    const bob = await signIn("bob")
    const answer = await call(bob, "methods", oauth)
    const unknown = await call(bob, "methods", { ...oauth, id: "nobody" })
    expect([answer.status, answer.json()]).toEqual([404, { error: "NotFound" }])
    expect([unknown.status, unknown.json()]).toEqual([404, { error: "NotFound" }])
    expect((await send(bob, "methods", oauth)).location).toContain("done=gone")
    expect(await ownerOf("ada-1")).toBe(idOf("ada"))
  })

  it("are listed with what works, and removed beside another one", async () => {
    const { signIn, ownerOf, host, adapter } = await open()
    await adapter.linkAccount({ provider: "gone", providerAccountId: "x", type: "oauth", userId: idOf("ada") })
    const browser = await signIn()
    const { methods, linkable } = (await read(browser, "/methods")).json() as Record<string, object[]>
    expect(methods).toEqual([
      {
        kind: "account",
        provider: "oauth",
        providerAccountId: "ada-1",
        name: "Test OAuth provider",
        works: true,
        canUnlink: true,
      },
      { kind: "account", provider: "gone", providerAccountId: "x", name: "gone", works: false, canUnlink: true },
      { kind: "email", provider: "email", providerAccountId: null, name: "Email", works: true, canUnlink: false },
    ])
    expect(linkable).toEqual([
      { provider: "oidc", name: "Test identity provider" },
      { provider: "oauth", name: "Test OAuth provider" },
    ])
    const answer = await send(browser, "methods", oauth)
    expect(answer.location).toBe("https://app.test/auth/account/methods?done=removed")
    expect(await ownerOf("ada-1")).toBeUndefined()
    expect(host.events.of("accountUnlinked")).toEqual([
      { userId: idOf("ada"), account: { provider: "oauth", providerAccountId: "ada-1" } },
    ])
  })

  it("count an address that a provider has verified, and no other", async () => {
    const { signIn, unproved, adapter } = await open()
    await unproved()
    const browser = await signIn()
    await adapter.markEmailVerified?.({ userId: idOf("ada"), email: "other@example.com", provider: "oauth" })
    expect((await call(browser, "methods", oauth)).status).toBe(400)
    await adapter.markEmailVerified?.({ userId: idOf("ada"), email: "ada@example.com", provider: "oauth" })
    expect((await call(browser, "methods", oauth)).status).toBe(200)
  })

  it("are added by the flow of a signed-in user, which comes back to the page", async () => {
    const { signIn, adapter } = await open()
    const browser = await signIn()
    const begun = await send(browser, "methods", { action: "link", provider: "oidc" })
    expect(begun.status).toBe(302)
    const page = await browser.open(begun.location ?? "")
    expect(page.url.href).toBe("https://app.test/auth/account/methods?done=linked")
    const accounts = await adapter.listAccountsByUserId(idOf("ada"))
    expect(accounts.map(({ provider }) => provider)).toEqual(["oauth", "oidc"])
    for (const provider of ["email", "cred", "passkey", "unknown", "__proto__"]) {
      expect((await call(browser, "methods", { action: "link", provider })).status).toBe(400)
    }
    const script = await call(browser, "methods", { action: "link", provider: "oidc" })
    expect(script.json()).toEqual({ url: expect.stringMatching(/^https:\/\/idp\.test\//) })
  })

  it("ACC-05: are added to no session that was ended, however recently the store was asked for it", async () => {
    const { signIn, adapter } = await open()
    const thief = await signIn()
    await adapter.endSessions({ userId: idOf("ada") })
    await thief.signIn("oidc")
    expect((await adapter.listAccountsByUserId(idOf("ada"))).map(({ provider }) => provider)).toEqual(["oauth"])
    const client = passkeyClient({ browser: thief, device: softwareAuthenticator() })
    await client.register().catch(() => undefined)
    expect(await adapter.listAuthenticatorsByUserId(idOf("ada"))).toEqual([])
    if (kind === "guarded") {
      const answer = await call(thief, "factors", { action: "begin-totp" })
      expect([answer.status, answer.text.includes("secret")]).toEqual([401, false])
    }
  })

  it.each(["account", "cookie"] as const)(
    "ACC-06: are removed with their tokens, kept in the %s, which are revoked",
    async (keep) => {
      const revoked: URLSearchParams[] = []
      const { signIn, adapter } = await open({ accessTokens: accessTokens({ keep }), revoked })
      const browser = await signIn()
      await browser.signIn("oidc")
      const [, account] = await adapter.listAccountsByUserId(idOf("ada"))
      const tokenCookies = () => browser.cookies.names().filter((name) => name.includes(".tokens")).length
      const before = tokenCookies()
      const fields = { action: "unlink", provider: "oidc", id: account?.providerAccountId ?? "" }
      expect((await call(browser, "methods", fields)).status).toBe(200)
      expect(revoked.map((form) => form.get("token_type_hint"))).toEqual(["refresh_token"])
      expect(await adapter.listAccountsByUserId(idOf("ada"))).toHaveLength(1)
      expect([before, tokenCookies()]).toEqual([keep === "cookie" ? 1 : 0, 0])
    },
  )
})

describe.each(settings)("sessions of a removed way (%s, %s)", (strategy, kind) => {
  it("ACC-05: end although the tokens of the account cannot be forgotten", async () => {
    const { signIn, host, adapter } = await openArea({
      strategy,
      kind,
      accessTokens: accessTokens({ keep: "account" }),
    })
    const ada = await signIn()
    await ada.signIn("oidc")
    const thief = host.newBrowser()
    await thief.signIn("oidc")
    const { methods } = (await read(ada, "/methods")).json() as {
      methods: { provider: string; providerAccountId: string }[]
    }
    const id = methods.find(({ provider }) => provider === "oidc")?.providerAccountId ?? ""
    let isAway = false
    Object.assign(host.config.adapter ?? {}, {
      async unlinkAccount(key: Parameters<typeof adapter.getUserByAccount>[0]) {
        await adapter.unlinkAccount?.(key)
        isAway = true
      },
      async getAccount(...key: Parameters<typeof adapter.getAccount>) {
        if (isAway) throw new Error("The store is away")
        return adapter.getAccount(...key)
      },
    })
    expect((await call(ada, "methods", { action: "unlink", provider: "oidc", id })).status).toBe(503)
    expect((await read(thief)).status).toBe(401)
  })

  it("ACC-05: end although the session that removes it ends meanwhile", async () => {
    const { signIn, host, adapter } = await openArea({ strategy, kind })
    const ada = await signIn()
    await ada.signIn("oidc")
    const thief = host.newBrowser()
    await thief.signIn("oidc")
    const [current] = (await adapter.listSessionsByUserId(idOf("ada"))).toSorted(
      (one, other) => one.createdAt.valueOf() - other.createdAt.valueOf(),
    )
    const { methods } = (await read(ada, "/methods")).json() as {
      methods: { provider: string; providerAccountId: string }[]
    }
    const id = methods.find(({ provider }) => provider === "oidc")?.providerAccountId ?? ""
    Object.assign(host.config.adapter ?? {}, {
      async unlinkAccount(key: Parameters<typeof adapter.getUserByAccount>[0]) {
        await adapter.unlinkAccount?.(key)
        await adapter.endSessions({ userId: idOf("ada"), id: current?.id ?? "" })
      },
    })
    await call(ada, "methods", { action: "unlink", provider: "oidc", id })
    expect(await adapter.getUserByAccount({ provider: "oidc", providerAccountId: id })).toBeNull()
    expect((await read(thief)).status).toBe(401)
  })

  it("ACC-05: end, all but the one that removes it", async () => {
    const { signIn, host } = await openArea({ strategy, kind })
    const ada = await signIn()
    await ada.signIn("oidc")
    const thief = host.newBrowser()
    await thief.signIn("oidc")
    const other = await signIn("ada", host.newBrowser())
    expect((await read(thief)).status).toBe(200)
    const { methods } = (await read(ada, "/methods")).json() as {
      methods: { provider: string; providerAccountId: string }[]
    }
    const id = methods.find(({ provider }) => provider === "oidc")?.providerAccountId ?? ""
    expect((await call(ada, "methods", { action: "unlink", provider: "oidc", id })).status).toBe(200)
    expect([(await read(thief)).status, (await read(other)).status, (await read(ada)).status]).toEqual([401, 200, 200])
    expect(await host.newBrowser().session()).toBeNull()
  })
})

describe("a sign-in with an account that is removed meanwhile", () => {
  it.each(settings)("ACC-05: starts no session (%s, %s)", async (strategy, kind) => {
    const adapterOf = await openArea({ strategy, kind })
    const { host, adapter, signIn } = adapterOf
    await (await signIn()).signIn("oidc")
    let isRemoved = false
    const { createSession, createSessionDetail, getUserByAccount } = adapter
    const remove = async () => {
      if (isRemoved) return
      isRemoved = true
      const [, account] = await adapter.listAccountsByUserId(idOf("ada"))
      if (account) await adapter.unlinkAccount(account)
    }
    Object.assign(host.config, {
      callbacks: {
        jwt: async ({ token }: { token: object }) => {
          await remove()
          return token
        },
      },
      adapter: {
        ...adapter,
        createSession: async (...values: Parameters<typeof createSession>) => {
          await remove()
          return createSession(...values)
        },
        createSessionDetail: async (...values: Parameters<NonNullable<typeof createSessionDetail>>) => {
          await remove()
          return createSessionDetail?.(...values) ?? false
        },
        getUserByAccount,
      },
    })
    const browser = host.newBrowser()
    await browser.signIn("oidc")
    expect(isRemoved).toBe(true)
    expect(await browser.session()).toBeNull()
    expect((await read(browser)).status).toBe(401)
  })
})

describe("a store with the methods of tracking and of published adapters", () => {
  const lacks = [
    "listAccountsByUserId",
    "isEmailVerified",
    "markEmailVerified",
    "updateAuthenticator",
    "deleteAuthenticator",
    "getPassword",
    "listFactors",
    "consumeOnce",
    "takeLease",
    "transaction",
  ] as const

  it("has the sections that it can do, and no others", async () => {
    const { signIn } = await openArea({ kind: "default", lacks })
    const browser = await signIn()
    const { sections } = (await read(browser)).json() as { sections: object }
    expect(Object.keys(sections)).toEqual(["profile", "passkeys", "sessions", "delete"])
    for (const section of ["email", "methods", "factors", "password", "export"]) {
      expect((await load(browser, `/${section}`)).status).toBe(404)
      expect((await read(browser, `/${section}`)).status).toBe(404)
      expect((await call(browser, section, { action: "unlink" })).status).toBe(404)
    }
  })

  it("ACC-04: keeps the last passkey, whatever it cannot list, and removes one beside a proved address", async () => {
    const { signIn, adapter } = await openArea({ kind: "default", lacks })
    const browser = await signIn()
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    const [key] = await adapter.listAuthenticatorsByUserId(idOf("ada"))
    const fields = { action: "remove", id: key?.credentialID ?? "" }
    await adapter.updateUser({ id: idOf("ada"), emailVerified: null })
    expect((await call(browser, "passkeys", fields)).status).toBe(400)
    expect(await adapter.getAccount(fields.id, "passkey")).not.toBeNull()
    await adapter.updateUser({ id: idOf("ada"), emailVerified: new Date() })
    expect((await call(browser, "passkeys", fields)).status).toBe(200)
    expect(await adapter.getAccount(fields.id, "passkey")).toBeNull()
  })
})

it("the last account stays, where the adapter returns undefined for a password that is not there", async () => {
  const { adapter, host } = await openArea({
    providers: ({ idp }) => [
      idp.oauthProvider({ profile: ({ sub, email }) => ({ id: String(sub), email: String(email) }) }),
      Passwords({ mail: { send: () => {} } }),
    ],
  })
  Object.assign(host.config.adapter ?? {}, { getPassword: async () => undefined })
  await adapter.updateUser({ id: idOf("ada"), emailVerified: null })
  host.idp.signInAs({ sub: "ada-1", email: "ada@example.com" })
  await host.browser.signIn("oauth")
  expect(await call(host.browser, "methods", oauth)).toMatchObject({ status: 400 })
  expect(await adapter.listAccountsByUserId(idOf("ada"))).toHaveLength(1)
})

it("an account goes whose id the adapter returns as a number", async () => {
  const { signIn, adapter, host } = await openArea()
  await adapter.linkAccount({ provider: "oidc", providerAccountId: "7", type: "oidc", userId: idOf("ada") })
  const { listAccountsByUserId } = adapter
  const toId = (id: string) => (id === "7" ? 7 : id)
  Object.assign(host.config.adapter ?? {}, {
    listAccountsByUserId: async (userId: string) =>
      (await listAccountsByUserId(userId)).map((row) => ({ ...row, providerAccountId: toId(row.providerAccountId) })),
  })
  const browser = await signIn()
  expect((await call(browser, "methods", { action: "unlink", provider: "oidc", id: "7" })).status).toBe(200)
  expect(await adapter.getAccount("7", "oidc")).toBeNull()
})

describe("accountArea", () => {
  it.each<readonly [AccountAreaOptions, string]>([
    [{ sections: [] }, "accountArea.sections: must be a list of"],
    [{ sections: ["profile", "profile"] }, "accountArea.sections: must be a list of"],
    [{ sections: ["x" as "profile"] }, "accountArea.sections: must be a list of"],
    [{ section: [] } as object, "accountArea.section: unknown option"],
  ])("refuses %j when the service starts", async (area, message) => {
    const { host } = await openArea({ area })
    expect((await host.newBrowser().fetch("/auth/account")).status).toBe(500)
    expect(host.logger.errors.map(({ message: text }) => text).join()).toContain(message)
  })

  it("refuses a configuration without an adapter, and one that was not made by it", async () => {
    const base = { providers: [], secret: "a secret of thirty-two characters", trustHost: true }
    for (const account of [accountArea(), true as never, {} as never]) {
      await expect(openService(new Request("https://app.test/"), { ...base, accountArea: account })).rejects.toThrow(
        /^accountArea: /,
      )
    }
  })

  it.each(["createSessionDetail", "seeSession", "listSessionsByUserId", "endSessions"] as const)(
    "names %s when the service starts with an adapter that lacks it",
    async (method) => {
      const { host } = await openArea({ kind: "default", lacks: [method] })
      expect((await host.newBrowser().fetch("/auth/account")).status).toBe(500)
      expect(host.logger.errors[0]?.message).toContain(`accountArea: the adapter lacks ${method}. Use @latchkey/`)
    },
  )

  it("shows the sections that are listed, in their order", async () => {
    const { signIn } = await openArea({ area: { sections: ["sessions", "profile"] } })
    const browser = await signIn()
    const { sections } = (await read(browser)).json() as { sections: object }
    expect(Object.keys(sections)).toEqual(["sessions", "profile"])
    expect((await load(browser, "/methods")).status).toBe(404)
  })
})
