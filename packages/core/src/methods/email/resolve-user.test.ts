import { describe, expect, it } from "vitest"
import { accountSetup } from "../../../test/setup/account-setup.js"
import { failureOf } from "../../../test/setup/failure-of.js"
import type { EmailProof } from "../../account/proof.js"
import { createPermission } from "../../host/callbacks.js"
import type { AdapterUser } from "../../types/adapter.js"

const email = "vera@corp.test"
const firstTime = new Date("2020-01-01T00:00:00Z")

function emailProof(known?: AdapterUser): EmailProof {
  const user = known ?? { id: "made-up", email, emailVerified: null }
  const account = { provider: "email", providerAccountId: email, type: "email", userId: user.id } as const
  return {
    candidate: user,
    user,
    isKnown: known !== undefined,
    account,
    achieved: ["email"],
    knownUserId: known?.id,
    dependsOnSession: known !== undefined,
  }
}

describe("resolveEmailUser", () => {
  it("creates a user with a verified address, sends createUser, and links no account", async () => {
    const { resolveUser, steps, events } = accountSetup()
    const { user, ...rest } = await resolveUser(emailProof())
    expect(user).toEqual({ id: "made-up", email, emailVerified: expect.any(Date) })
    expect(rest).toEqual({ isNewUser: true, isSignedInAlready: false })
    expect(steps).toEqual(["createUser", "event createUser"])
    expect(events.of("createUser")).toStrictEqual([{ user }])
  })

  it("verifies the address of a known user, and sends updateUser", async () => {
    const { addUser, resolveUser, steps, events, stored } = accountSetup()
    const vera = await addUser("vera")
    const { user, ...rest } = await resolveUser(emailProof(vera))
    expect(user).toEqual({ ...vera, emailVerified: expect.any(Date) })
    expect(rest).toEqual({ isNewUser: false, isSignedInAlready: false })
    // Twice: without transactions, a sign-up of another person may store an account meanwhile.
    const look = ["isEmailVerified", "listAccountsByUserId"]
    expect(steps).toEqual([...look, "updateUser", ...look, "event updateUser"])
    expect(events.of("updateUser")).toStrictEqual([{ user }])
    const update = stored.calls.find(({ method }) => method === "updateUser")
    expect(update?.args).toEqual([{ id: "vera", emailVerified: expect.any(Date) }])
  })

  it("keeps the date of the first verification", async () => {
    const { stored, resolveUser } = accountSetup()
    const vera = await stored.createUser({ id: "vera", email, emailVerified: firstTime })
    expect((await resolveUser(emailProof(vera))).user).toEqual(vera)
    expect(stored.calls.at(-1)).toEqual({ method: "updateUser", args: [{ id: "vera", emailVerified: firstTime }] })
  })

  it("ADP-05: creates one user for concurrent first sign-ins", async () => {
    const { resolveUser, events } = accountSetup()
    const people = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const proof = emailProof()
        return resolveUser({ ...proof, user: { ...proof.user, id: `made-up-${n}` } })
      }),
    )
    expect(new Set(people.map(({ user }) => user.id)).size).toBe(1)
    expect(people.filter(({ isNewUser }) => isNewUser)).toHaveLength(1)
    expect(people.filter(({ isSignedInAlready }) => isSignedInAlready)).toEqual([])
    expect(events.of("createUser")).toHaveLength(1)
  })

  it("asks the signIn callback about a user who was stored since it allowed a new one", async () => {
    const asked: unknown[] = []
    const permission = createPermission({
      signIn({ user, account }) {
        asked.push([user.id, account?.provider])
        return user.id !== "banned"
      },
    })
    const { addUser, resolveUser, steps } = accountSetup(
      () => ({ createUser: () => Promise.reject(new Error("unique")) }),
      permission,
    )
    await addUser("banned", email)
    expect((await failureOf(resolveUser(emailProof()))).error.type).toBe("AccessDenied")
    expect(asked).toEqual([["banned", "email"]])
    expect(steps).not.toContain("updateUser")
  })

  it("LINK-05, ADP-13: rejects the sign-in if the store only finds a look-alike address", async () => {
    const lookAlike = { id: "stranger", email: "v\u00E9ra@corp.test", emailVerified: null }
    const { resolveUser, steps } = accountSetup(() => ({
      createUser: () => Promise.reject(new Error("unique")),
      getUserByEmail: async () => lookAlike,
    }))
    expect((await failureOf(resolveUser(emailProof()))).error.type).toBe("AdapterError")
    expect(steps).not.toContain("updateUser")
  })

  it("rejects the sign-in when the user can be neither created nor found", async () => {
    const { resolveUser, events } = accountSetup(() => ({ createUser: () => Promise.reject(new Error("disk full")) }))
    const { error } = await failureOf(resolveUser(emailProof()))
    expect(error).toMatchObject({ type: "AdapterError", cause: { err: { message: "disk full" } } })
    expect(events.names()).toEqual([])
  })

  it("rejects the sign-in when the user cannot be updated", async () => {
    const { addUser, resolveUser } = accountSetup(() => ({ updateUser: () => Promise.reject(new Error("disk full")) }))
    const vera = await addUser("vera")
    expect((await failureOf(resolveUser(emailProof(vera)))).error.type).toBe("AdapterError")
  })
})
