import type { Mutant } from "../mutant.js"

const linking = "account/link-oauth.ts"

/** Which accounts, passkeys and addresses belong to a user. */
export const mutants: readonly Mutant[] = [
  {
    name: "The user who began a sign-in is not compared when an account is linked",
    edits: [{ file: linking, find: "facts.initiator !== currentUser)", replace: "facts.initiator === '')" }],
    within: 300,
  },
  {
    name: "Accounts are looked up by their subject at any provider",
    edits: [
      {
        file: "methods/oauth/steps.ts",
        find: "const finding = store.getUserByAccount({ provider: id, providerAccountId })",
        replace:
          "const look = (provider: string) => store.getUserByAccount({ provider, providerAccountId })\n  const finding = andThen(look(id), (owner) => owner ?? look('north'))",
      },
    ],
    setting: { isSouthCompromised: true, isEmailLinked: false },
    within: 1000,
  },
  {
    name: "An account is linked to a user with an unverified address",
    edits: [
      {
        file: linking,
        find: "if (facts.isEmailOwnerUnverified) {",
        replace: "if (facts.isEmailOwnerUnverified && !emailOwner) {",
      },
    ],
    within: 1000,
  },
  {
    name: "An account is linked by an address that its provider calls unverified",
    edits: [
      {
        file: linking,
        find: "if (facts.isEmailDenied) return",
        replace: "if (facts.isEmailDenied && !emailOwner) return",
      },
    ],
    within: 300,
  },
  {
    name: "Accounts are linked by address without the host's permission",
    edits: [
      { file: linking, find: "if (!facts.isEmailTrusted) {", replace: "if (!facts.isEmailTrusted && !emailOwner) {" },
    ],
    within: 300,
  },
  {
    name: "An address counts as verified though the provider does not say so",
    edits: [
      {
        file: "account/email-trust.ts",
        find: `return proof.profile["email_verified"] === true && isAboutUser(proof)`,
        replace: "return isAboutUser(proof)",
      },
    ],
    within: 1000,
  },
  {
    name: "A provider verifies another address than its own",
    edits: [
      {
        file: "account/email-trust.ts",
        find: "if (!hasProvedAddress({ email }, proof)) return",
        replace: "if (!proof.user.email) return",
      },
    ],
    within: 1000,
  },
  {
    name: "The signIn callback is not asked about the user who was found by address",
    edits: [
      {
        file: linking,
        find: "return isSameId(candidate.id, user.id) ? null : permission",
        replace: "return candidate.id !== '' ? null : permission",
      },
    ],
    within: 2000,
  },
  {
    name: "A passkey is added to the user who is signed in when the device answers",
    edits: [
      {
        file: "methods/webauthn/register.ts",
        find: "const isSameUser = current ? isSameId(current.id, initiatorId) : initiatorId === undefined",
        replace: "const isSameUser = current !== undefined || initiatorId === undefined",
      },
    ],
    within: 3500,
  },
  {
    name: "A sign-up that a fault interrupts locks its user out",
    edits: [
      {
        file: "account/new-user.ts",
        find: `if (!store.has("transaction")) return storeInSteps(fields, wayIn, deps)`,
        replace: `if (store.has("createUser")) return storeInSteps(fields, wayIn, deps)`,
      },
      { file: "account/unfinished.ts", find: "if (!isProvable) return false", replace: "if (id) return false" },
    ],
    setting: { isFaulty: true, hasPasswords: true, isTracked: true, isAdapterPublished: false },
    within: 300,
  },
]
