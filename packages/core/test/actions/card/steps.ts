import type { Proof } from "../../../src/account/proof.js"
import { macHex } from "../../../src/crypto/hash.js"
import { randomUUID } from "../../../src/crypto/random.js"
import { CredentialsSignin, MissingAdapter } from "../../../src/errors/errors.js"
import { findField } from "../../../src/http/request.js"
import { redirect } from "../../../src/http/response.js"
import type { MethodDeps } from "../../../src/methods/method.js"
import type { SignInSteps } from "../../../src/methods/steps.js"
import type { AdapterUser } from "../../../src/types/adapter.js"
import type { CredentialsConfig } from "../../../src/types/providers.js"

export interface CardConfig extends CredentialsConfig {
  /** Length of the printed numbers. Default: 16. */
  readonly numberLength?: number
}

interface CardProof extends Proof {
  readonly user: AdapterUser
}

/** Each card is a verification token in the store: the owner's address, and a keyed hash of the number. */
export function cardSteps({ config, store, limits, actionUrl }: MethodDeps): SignInSteps<CardConfig, CardProof> {
  if (!store) throw new MissingAdapter("adapter: a card provider needs one")
  return {
    // The form is on the sign-in page and posts to the callback.
    begin: async (request) => redirect(actionUrl(request, "signin")),

    async prove(request, { id, numberLength }) {
      const email = findField(request, "email") ?? ""
      const number = findField(request, "number") ?? ""
      const attempt = await limits.tryToken({ address: email, provider: { id }, isGuessable: true }, request)
      const token = await macHex(config.secrets[0] ?? "", "card number", JSON.stringify([id, number]))
      const isWellFormed = number.length === numberLength
      const card = isWellFormed && (await store.useVerificationToken({ identifier: email, token }))
      // One error for unknown, used and expired cards.
      if (!card || card.expires <= new Date()) throw new CredentialsSignin("The card is not valid", { provider: id })
      await attempt.succeed()
      const owner = await store.getUserByAccount({ provider: id, providerAccountId: email })
      const user = owner ?? { id: randomUUID(), email, emailVerified: null }
      const account = { provider: id, providerAccountId: email, type: "credentials" } as const
      const proof = { candidate: user, user, account, knownUserId: owner?.id, dependsOnSession: false }
      return { proof: { ...proof, achieved: ["otp"] }, callbackUrl: undefined, cookies: [] }
    },

    async resolveUser({ user, account, knownUserId }, _current, events) {
      if (knownUserId !== undefined) return { user, isNewUser: false, isSignedInAlready: false }
      const created = await store.createUser(user)
      await events.send("createUser", { user: created })
      await store.linkAccount({ ...account, userId: created.id })
      await events.send("linkAccount", { user: created, account, profile: user })
      return { user: created, isNewUser: true, isSignedInAlready: false }
    },
  }
}
