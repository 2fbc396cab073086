import { describe, expect, it } from "vitest"
import { accountSetup, type OAuthProofChanges, oauthProof } from "../../test/setup/account-setup.js"
import { failureOf } from "../../test/setup/failure-of.js"

const account = { provider: "oidc", providerAccountId: "subject-1" }
const proven = { id: "vera", name: "Vera", email: "vera@corp.test", emailVerified: new Date("2029-01-01") }
const noAccount = () => Promise.resolve(undefined)

describe("resolveOAuthUser: rejections", () => {
  it.each([
    ["LINK-01: an address of another user", {}],
    [
      "LINK-02: the same, with email_verified true, where the host does not link by address",
      { claims: { email_verified: true } },
    ],
    [
      "LINK-03: an address that the provider did not verify",
      { isEmailTrusted: true, claims: { email_verified: false } },
    ],
    ["LINK-03: the same, said by text", { isEmailTrusted: true, claims: { email_verified: "false" } }],
  ] satisfies [string, OAuthProofChanges][])("rejects %s, and writes nothing", async (_, changes) => {
    const { addUser, resolveUser, steps, stored } = accountSetup()
    await addUser("vera")
    const { error } = await failureOf(resolveUser(oauthProof(changes)))
    expect(error).toMatchObject({ type: "OAuthAccountNotLinked", kind: "signIn", cause: { provider: "oidc" } })
    expect(error.message).toMatch(/^Another user has the same email address/)
    expect(steps).toEqual(["getUserByAccount", "getUserByEmail"])
    expect(await stored.getUserByAccount(account)).toBeNull()
  })

  it("ENUM-03: reveals neither the owner of the address nor their provider", async () => {
    const { addUser, resolveUser, stored } = accountSetup()
    await addUser("vera")
    await stored.linkAccount({ provider: "github", providerAccountId: "7", type: "oauth", userId: "vera" })
    const { error } = await failureOf(resolveUser(oauthProof()))
    expect(`${error.message} ${JSON.stringify(error.cause)}`).not.toMatch(/vera|github/)
  })

  it("LINK-06: rejects an account of another user than the one who is signed in", async () => {
    const { addUser, resolveUser, stored, steps } = accountSetup()
    const vera = await addUser("vera")
    await addUser("walt")
    await stored.linkAccount({ ...account, type: "oidc", userId: "walt" })
    expect((await failureOf(resolveUser(oauthProof(), vera))).error.type).toBe("OAuthAccountNotLinked")
    expect(steps).toEqual(["getUserByAccount"])
    expect((await stored.getUserByAccount(account))?.id).toBe("walt")
  })

  it("rejects also when the adapter returns undefined for an unknown account", async () => {
    const { addUser, resolveUser, steps } = accountSetup(() => ({ getUserByAccount: noAccount }))
    await addUser("vera")
    expect((await failureOf(resolveUser(oauthProof()))).error.type).toBe("OAuthAccountNotLinked")
    expect(steps).toEqual(["getUserByAccount", "getUserByEmail"])
  })
})

describe("resolveOAuthUser", () => {
  it("resolves the owner of an account, and writes nothing", async () => {
    const { addUser, resolveUser, stored, steps } = accountSetup()
    const vera = await addUser("vera")
    await stored.linkAccount({ ...account, type: "oidc", userId: "vera" })
    const resolved = await resolveUser(oauthProof({ email: "new-address@corp.test" }))
    expect(resolved).toEqual({ user: vera, isNewUser: false, isSignedInAlready: false })
    expect(steps).toEqual(["getUserByAccount"])
  })

  it("creates a user, sends createUser, links the account and sends linkAccount", async () => {
    const { resolveUser, stored, steps, events } = accountSetup()
    const proof = oauthProof()
    const { user, ...rest } = await resolveUser(proof)
    expect(rest).toEqual({ isNewUser: true, isSignedInAlready: false })
    expect(steps).toEqual([
      "getUserByAccount",
      "getUserByEmail",
      "createUser",
      "event createUser",
      "linkAccount",
      // The owner of the mailbox may have finished the user in between.
      "getUser",
      "event linkAccount",
    ])
    expect(user).toEqual({ ...proof.user, emailVerified: null })
    expect(events.of("createUser")).toStrictEqual([{ user }])
    const linked = { access_token: "at", ...account, type: "oidc" }
    expect(events.of("linkAccount")).toStrictEqual([{ user, account: linked, profile: proof.user }])
    const stores = { ...linked, userId: user.id }
    expect(stored.calls.find(({ method }) => method === "linkAccount")?.args).toStrictEqual([stores])
  })

  it("stores the tokens that the provider's account callback returns", async () => {
    const { resolveUser, stored } = accountSetup()
    await resolveUser(oauthProof({ selectTokens: () => ({ refresh_token: "rt", userId: "evil", provider: "evil" }) }))
    const stores = { refresh_token: "rt", ...account, type: "oidc", userId: "made-up" }
    expect(await stored.getAccount("subject-1", "oidc")).toStrictEqual(stores)
  })

  it("stores no tokens if the account callback returns nothing", async () => {
    const { resolveUser, stored } = accountSetup()
    await resolveUser(oauthProof({ selectTokens: () => undefined }))
    expect(await stored.getAccount("subject-1", "oidc")).toStrictEqual({ ...account, type: "oidc", userId: "made-up" })
  })

  it.each([null, ""])("does not look up the address %j", async (email) => {
    const { resolveUser, steps } = accountSetup()
    expect(await resolveUser(oauthProof({ email }))).toHaveProperty("isNewUser", true)
    expect(steps).not.toContain("getUserByEmail")
  })

  it.each([{}, { claims: { email_verified: true } }, { claims: { email_verified: null } }])(
    "LINK-03: links by address where the host allows it and the provider says %j",
    async (changes) => {
      const { stored, resolveUser, steps } = accountSetup()
      const vera = await stored.createUser(proven)
      const resolved = await resolveUser(oauthProof({ ...changes, isEmailTrusted: true }))
      expect(resolved).toEqual({ user: vera, isNewUser: false, isSignedInAlready: false })
      expect(steps).toEqual(["getUserByAccount", "getUserByEmail", "linkAccount", "getUser", "event linkAccount"])
    },
  )

  it("links the account to the current user, for any address", async () => {
    const { addUser, resolveUser, steps } = accountSetup()
    const vera = await addUser("vera")
    await addUser("walt")
    const resolved = await resolveUser(oauthProof({ email: "walt@corp.test" }), vera)
    expect(resolved).toEqual({ user: vera, isNewUser: false, isSignedInAlready: true, isAccountAdded: true })
    expect(steps).toEqual(["getUserByAccount", "linkAccount", "event linkAccount"])
  })

  it("writes nothing for an account that is linked to the current user", async () => {
    const { addUser, resolveUser, stored, steps } = accountSetup()
    const vera = await addUser("vera")
    await stored.linkAccount({ ...account, type: "oidc", userId: "vera" })
    expect(await resolveUser(oauthProof(), vera)).toEqual({ user: vera, isNewUser: false, isSignedInAlready: true })
    expect(steps).toEqual(["getUserByAccount"])
  })

  it.each([
    ["\u212Aim@corp.test", "kim@corp.test"],
    ["kim@corp.test", "\u212Aim@corp.test"],
    ["k\u00EDm@corp.test", "kim@corp.test"],
    ["kim@corp.test ", "kim@corp.test"],
  ])("LINK-05, ADP-13: does not match %j with %j, however the store compares", async (theirs, ours) => {
    const stranger = { id: "stranger", email: theirs, emailVerified: null }
    const { resolveUser } = accountSetup(() => ({ getUserByEmail: async () => stranger }))
    const { user, isNewUser } = await resolveUser(oauthProof({ email: ours, isEmailTrusted: true }))
    expect([user.id, isNewUser]).toEqual(["made-up", true])
  })

  it("matches an address that is stored in capitals", async () => {
    const { stored, resolveUser } = accountSetup((stored) => ({ getUserByEmail: () => stored.getUser("vera") }))
    await stored.createUser({ ...proven, email: "Vera@Corp.TEST" })
    expect((await resolveUser(oauthProof({ isEmailTrusted: true }))).user.id).toBe("vera")
  })

  it("LINK-08, LINK-09: compares provider and id exactly", async () => {
    const { resolveUser } = accountSetup()
    const subjects = [
      { sub: "abc" },
      { sub: "ABC" },
      { sub: "abc " },
      { sub: "1e3" },
      { sub: "1000" },
      { provider: "two", sub: "abc" },
    ]
    const ids = []
    for (const changes of subjects) {
      const proof = oauthProof({ ...changes, email: null })
      const { user, isNewUser } = await resolveUser({ ...proof, user: { ...proof.user, id: crypto.randomUUID() } })
      expect(isNewUser).toBe(true)
      ids.push(user.id)
    }
    expect(new Set(ids).size).toBe(6)
  })

  it("continues when an event handler fails", async () => {
    const { resolveUser, events, logger } = accountSetup()
    events.handlers.createUser = () => {
      throw new Error("audit log is full")
    }
    expect(await resolveUser(oauthProof())).toHaveProperty("isNewUser", true)
    expect(logger.errorTypes()).toEqual(["EventError"])
  })
})

describe("resolveOAuthUser: unverified addresses", () => {
  const verifiedEmail = { claims: { email_verified: true } }
  const withoutProofs = () => ({ markEmailVerified: undefined, isEmailVerified: undefined })

  it.each([{}, verifiedEmail])("LINK-04: does not link to a user with an unverified address: %j", async (changes) => {
    const { addUser, resolveUser, stored, events } = accountSetup()
    await addUser("vera")
    const { error } = await failureOf(resolveUser(oauthProof({ ...changes, isEmailTrusted: true })))
    expect(error).toMatchObject({ type: "OAuthAccountNotLinked", cause: { provider: "oidc" } })
    expect(await stored.getUserByAccount(account)).toBeNull()
    expect(events.names()).toEqual([])
  })

  it("LINK-04: links as configured if the store does not keep verifications", async () => {
    const { addUser, resolveUser } = accountSetup(withoutProofs)
    await addUser("vera")
    expect((await resolveUser(oauthProof({ isEmailTrusted: true }))).user.id).toBe("vera")
  })

  it.each<[string, OAuthProofChanges, boolean]>([
    ["the provider says true", verifiedEmail, true],
    ["the host believes the provider, which says nothing", { isEmailTrusted: true }, true],
    ["the provider says nothing", {}, false],
    ["the provider says so by text alone", { claims: { email_verified: "true" } }, false],
    ["the provider says so by a number", { claims: { email_verified: 1 } }, false],
    ["the provider denies it", { claims: { email_verified: false } }, false],
    [
      "the host believes the provider, which denies it",
      { isEmailTrusted: true, claims: { email_verified: false } },
      false,
    ],
    ["the claim is about another address", { claims: { email_verified: true, email: "other@corp.test" } }, false],
    ["the profile names the address elsewhere", { claims: { email_verified: true, email: undefined } }, true],
  ])("LINK-04: address of a user created when %s, verified: %3$s", async (_, changes, isProven) => {
    const { resolveUser, stored } = accountSetup()
    const { user } = await resolveUser(oauthProof(changes))
    expect(await stored.isEmailVerified({ id: user.id ?? "", email: user.email ?? "" })).toBe(isProven)
  })

  it("stores the verification by a linked provider, if it has the user's address", async () => {
    for (const [email, isProven] of [
      ["walt@corp.test", false],
      ["VERA@corp.test", true],
    ] as const) {
      const { addUser, resolveUser, stored } = accountSetup()
      const vera = await addUser("vera")
      await resolveUser(oauthProof({ ...verifiedEmail, email }), vera)
      expect(await stored.isEmailVerified(vera)).toBe(isProven)
    }
  })

  it("stores the verification once, when an existing user signs in again", async () => {
    const { addUser, resolveUser, stored, steps } = accountSetup()
    const vera = await addUser("vera")
    await stored.linkAccount({ ...account, type: "oidc", userId: "vera" })
    for (const _ of [1, 2]) await resolveUser(oauthProof(verifiedEmail))
    expect(steps.filter((step) => step === "markEmailVerified")).toHaveLength(1)
    expect(await stored.isEmailVerified(vera)).toBe(true)
  })

  it("stores no verification if the address is verified already, or the store cannot keep it", async () => {
    const { stored, resolveUser, steps } = accountSetup()
    await resolveUser(oauthProof(verifiedEmail), await stored.createUser(proven))
    expect(steps).not.toContain("markEmailVerified")
    expect(await accountSetup(withoutProofs).resolveUser(oauthProof(verifiedEmail))).toHaveProperty("isNewUser", true)
  })
})

describe("resolveOAuthUser: concurrent requests", () => {
  it("LINK-11: creates one user for concurrent first sign-ins with one account without an address", async () => {
    const { resolveUser, stored } = accountSetup()
    const proofs = Array.from({ length: 20 }, (_, n) => oauthProof({ email: null, claims: { n } }))
    const people = await Promise.all(
      proofs.map((proof, n) => resolveUser({ ...proof, user: { ...proof.user, id: `made-up-${n}` } })),
    )
    expect(new Set(people.map(({ user }) => user.id)).size).toBe(1)
    expect(people.filter(({ isNewUser }) => isNewUser)).toHaveLength(1)
    const made = people.map((_, n) => stored.getUser(`made-up-${n}`))
    expect((await Promise.all(made)).filter((user) => user !== null)).toHaveLength(1)
  })

  it("LINK-11, ADP-05: creates one user for concurrent first sign-ins with one address", async () => {
    const { resolveUser, stored } = accountSetup()
    const proof = oauthProof()
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => resolveUser({ ...proof, user: { ...proof.user, id: `made-up-${n}` } })),
    )
    const people = all.flatMap((each) => (each.status === "fulfilled" ? [each.value.user.id] : []))
    expect(new Set(people).size).toBe(1)
    expect((await stored.getUserByAccount(account))?.id).toBe(people[0])
  })

  it("LINK-11: resolves the user of the concurrent request that created the account", async () => {
    const { resolveUser, stored, steps } = accountSetup((stored) => ({
      createUser: async () => {
        await stored.createUser({ id: "vera", email: "vera@corp.test", emailVerified: null })
        await stored.linkAccount({ ...account, type: "oidc", userId: "vera" })
        throw new Error("this email exists already")
      },
    }))
    const { user, ...rest } = await resolveUser(oauthProof())
    expect([user.id, rest]).toEqual(["vera", { isNewUser: false, isSignedInAlready: false }])
    expect(steps).toEqual(["getUserByAccount", "getUserByEmail", "createUser", "getUserByAccount"])
    expect(await stored.getUser("made-up")).toBeNull()
  })

  it.each([
    [false, "OAuthAccountNotLinked"],
    [true, "linked"],
  ])(
    "LINK-11: decides again when another sign-in took the address meanwhile (trusted: %s): %s",
    async (trusts, result) => {
      const { resolveUser, stored } = accountSetup((stored) => ({
        createUser: async () => {
          await stored.createUser({ id: "vera", email: "vera@corp.test", emailVerified: null })
          await stored.markEmailVerified({ userId: "vera", email: "vera@corp.test", provider: "elsewhere" })
          throw new Error("this email exists already")
        },
      }))
      const resolving = resolveUser(oauthProof({ isEmailTrusted: trusts }))
      if (trusts) expect(await resolving).toMatchObject({ user: { id: "vera" }, isNewUser: false })
      else expect((await failureOf(resolving)).error.type).toBe(result)
      expect(await stored.listAccountsByUserId("vera")).toHaveLength(trusts ? 1 : 0)
    },
  )

  it.each([true, false])(
    "LINK-01, ACC-03: links no account by an address that its user gives up meanwhile",
    async (can) => {
      const { addUser, resolveUser, stored, events, steps } = accountSetup((stored) => ({
        ...(!can && { unlinkAccount: undefined }),
        async linkAccount(given: Parameters<typeof stored.linkAccount>[0]) {
          await stored.updateUser({ id: "vera", email: "restored@corp.test" })
          return stored.linkAccount(given)
        },
      }))
      await stored.markEmailVerified({ userId: (await addUser("vera")).id, email: "vera@corp.test", provider: "oidc" })
      const { error } = await failureOf(
        resolveUser(oauthProof({ claims: { email_verified: true }, isEmailTrusted: true })),
      )
      expect(error).toMatchObject({ type: "OAuthAccountNotLinked", kind: "signIn", cause: { provider: "oidc" } })
      expect(steps).toContain("linkAccount")
      expect(events.of("linkAccount")).toEqual([])
      expect((await stored.getUserByAccount(account))?.id).toBe(can ? undefined : "vera")
    },
  )

  it("ADP-06: links an account to one of two concurrent users, and rejects the other", async () => {
    const { addUser, resolveUser, stored, events } = accountSetup()
    const users = [await addUser("vera"), await addUser("walt")]
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => resolveUser(oauthProof(), users[n % 2] ?? null)),
    )
    const owner = (await stored.getUserByAccount(account))?.id
    for (const [n, each] of all.entries()) {
      if (users[n % 2]?.id === owner) expect(each).toMatchObject({ value: { user: { id: owner }, isNewUser: false } })
      else expect(each).toMatchObject({ reason: { type: "OAuthAccountNotLinked" } })
    }
    expect(events.of("linkAccount")).toHaveLength(1)
  })
})

describe("resolveOAuthUser: failing store", () => {
  const failing = () => Promise.reject(new Error("disk full"))

  it("ADP-09: deletes the new user when the account cannot be linked, and a retry works", async () => {
    let isDown = true
    const { resolveUser, stored, steps, events } = accountSetup((stored) => ({
      linkAccount: (given: Parameters<typeof stored.linkAccount>[0]) =>
        isDown ? failing() : stored.linkAccount(given),
    }))
    const { error } = await failureOf(resolveUser(oauthProof()))
    expect(error).toMatchObject({ type: "AdapterError", cause: { err: { message: "disk full" } } })
    expect(steps.slice(2)).toEqual([
      ...["createUser", "event createUser", "linkAccount", "getUserByAccount"],
      ...["getUser", "deleteUser", "getUserByAccount"],
    ])
    expect(await stored.getUserByEmail("vera@corp.test")).toBeNull()
    expect(events.of("linkAccount")).toEqual([])
    isDown = false
    expect(await resolveUser(oauthProof())).toHaveProperty("isNewUser", true)
  })

  it("ADP-09: keeps the new user when the store linked the account before it failed", async () => {
    const { resolveUser, stored, steps } = accountSetup((stored) => ({
      async linkAccount(given: Parameters<typeof stored.linkAccount>[0]) {
        await stored.linkAccount(given)
        return failing()
      },
    }))
    expect(await resolveUser(oauthProof())).toMatchObject({ isNewUser: true })
    expect(steps).not.toContain("deleteUser")
    expect(await stored.getUserByAccount(account)).toMatchObject({ email: "vera@corp.test" })
  })

  it("ADP-09: rejects the sign-in when the new user cannot be deleted either", async () => {
    const { resolveUser } = accountSetup(() => ({ linkAccount: failing, deleteUser: undefined }))
    expect((await failureOf(resolveUser(oauthProof()))).error.type).toBe("AdapterError")
  })

  it("rejects the sign-in when the account cannot be linked and has no owner, null or undefined", async () => {
    const { addUser, resolveUser } = accountSetup(() => ({ linkAccount: failing, getUserByAccount: noAccount }))
    const vera = await addUser("vera")
    expect((await failureOf(resolveUser(oauthProof(), vera))).error.type).toBe("AdapterError")
    expect((await failureOf(resolveUser(oauthProof({ email: null })))).error.type).toBe("AdapterError")
  })

  it("rejects the sign-in when the user cannot be created", async () => {
    const { resolveUser, events } = accountSetup(() => ({ createUser: failing }))
    expect((await failureOf(resolveUser(oauthProof()))).error.type).toBe("AdapterError")
    expect(events.names()).toEqual([])
  })

  it("ADP-09: does not delete an existing user when the account cannot be linked", async () => {
    const { addUser, resolveUser, stored, steps } = accountSetup(() => ({ linkAccount: failing }))
    const vera = await addUser("vera")
    expect((await failureOf(resolveUser(oauthProof(), vera))).error.type).toBe("AdapterError")
    expect(steps).not.toContain("deleteUser")
    expect(await stored.getUser("vera")).toEqual(vera)
  })
})
