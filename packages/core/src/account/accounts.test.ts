import { describe, expect, it } from "vitest"
import { accountSetup, oauthProof } from "../../test/account-setup.js"
import { failureOf } from "../../test/failure-of.js"
import { createAccounts } from "./accounts.js"
import type { CredentialsProof } from "./proof.js"

const credentialsProof: CredentialsProof = {
  kind: "credentials",
  user: { id: "vera", name: "Vera" },
  account: { provider: "credentials", providerAccountId: "vera", type: "credentials" },
  credentials: { password: "hunter2" },
}

describe("present", () => {
  it("shows the stored user of an account, and the provider's where there is none", async () => {
    const { accounts, addUser, stored, steps } = accountSetup()
    const proof = oauthProof()
    expect(await accounts.present(proof)).toEqual({ proof, user: proof.user, accountOwner: null })
    const vera = await addUser("vera")
    await stored.linkAccount({ ...proof.account, userId: "vera" })
    expect(await accounts.present(proof)).toEqual({ proof, user: vera, accountOwner: vera })
    expect(steps).toEqual(["getUserByAccount", "getUserByAccount"])
  })

  it("asks the store about accounts of identity providers alone", async () => {
    const { accounts, steps } = accountSetup()
    expect(await accounts.present(credentialsProof)).toMatchObject({ user: credentialsProof.user, accountOwner: null })
    expect(steps).toEqual([])
  })

  it("passes on that the store failed", async () => {
    const { accounts } = accountSetup(() => ({ getUserByAccount: () => Promise.reject(new Error("down")) }))
    expect((await failureOf(accounts.present(oauthProof()))).error.type).toBe("AdapterError")
  })
})

describe("recognise", () => {
  it("makes no call of the adapter for credentials, and knows that nobody is new", async () => {
    const { recognise, steps } = accountSetup()
    const expected = { user: credentialsProof.user, isNewUser: false, isSignedInAlready: false }
    expect(await recognise(credentialsProof)).toEqual(expected)
    expect(steps).toEqual([])
  })

  it("cannot tell without a store whether a user of an identity provider is new", async () => {
    const { hostEvents, log, events } = accountSetup()
    const { present, recognise } = createAccounts({ store: null, log })
    const proof = oauthProof()
    const expected = { user: proof.user, isNewUser: undefined, isSignedInAlready: false }
    expect(await recognise(await present(proof), null, hostEvents)).toEqual(expected)
    expect(events.names()).toEqual([])
  })

  it("says without a store, too, that credentials make nobody new", async () => {
    const { hostEvents, log } = accountSetup()
    const { present, recognise } = createAccounts({ store: null, log })
    expect(await recognise(await present(credentialsProof), null, hostEvents)).toHaveProperty("isNewUser", false)
  })
})
