/** A change of one source file. */
interface Edit {
  /** Below packages/core/src. */
  readonly file: string
  /** Must occur exactly once, so that a mutant that no longer fits fails instead of testing nothing. */
  readonly find: string
  readonly replace: string
}

/** A broken service. The simulation has to notice it. */
export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Worlds within which it must be found, starting from seed 1. */
  readonly within: number
}

const linking = "account/link-oauth.ts"
const flow = "checks/oauth-flow.ts"
const replay = "checks/replay.ts"
const email = "methods/email/steps.ts"
const limiter = "rate-limit/limiter.ts"
const storedGuard = "return createStoredReplayGuard({ consumeOnce }, systemClock, checkMaxAgeSeconds)"

export const mutants: readonly Mutant[] = [
  {
    name: "The user who began a sign-in is not compared when an account is linked",
    edits: [{ file: linking, find: "facts.initiator !== currentUser)", replace: "facts.initiator === '')" }],
    within: 300,
  },
  {
    name: "A flow is not bound to the browser that began it",
    edits: [
      { file: flow, find: "claims.browser !== undefined && !isSame", replace: "claims.browser === '' && !isSame" },
    ],
    within: 600,
  },
  {
    name: "A revoked stateless session still names the current user",
    edits: [
      {
        file: "session/jwt.ts",
        find: ": await callbacks.jwt({ token: claims })\n",
        replace: ": claims\n",
      },
    ],
    within: 300,
  },
  {
    name: "A revoked stateless session is still answered",
    edits: [
      {
        file: "session/jwt.ts",
        find: "if (kept === null) {",
        replace: "if (claims === null) {",
      },
      {
        file: "session/jwt.ts",
        find: "const token = withStart(kept, start)",
        replace: "const token = withStart(kept ?? claims, start)",
      },
    ],
    within: 300,
  },
  {
    name: "A prefetch spends a mailed link",
    edits: [
      {
        file: email,
        find: "if (isPrefetch(request)) return",
        replace: "if (isPrefetch(request) && !provider.id) return",
      },
    ],
    within: 600,
  },
  {
    name: "A mailed code works at another email provider",
    edits: [{ file: email, find: "JSON.stringify([provider.id, token])", replace: "JSON.stringify([token])" }],
    within: 300,
  },
  {
    name: "A mailed link works after it has expired",
    edits: [
      {
        file: email,
        find: "if (new Date(found.expires).valueOf() > systemClock()) return",
        replace: "if (found.expires) return",
      },
    ],
    within: 1000,
  },
  {
    name: "The owner of an address shares a user whom someone else created with it",
    edits: [
      {
        file: email,
        find: "if (!(await isHeldWithoutVerification(user, deps))) return",
        replace: "if (!(await isHeldWithoutVerification(user, deps)) || user) return",
      },
    ],
    within: 600,
  },
  {
    name: "A completed flow is not remembered",
    edits: [
      {
        file: replay,
        find: "return (await consumeOnce(await sha256Hex(flow), expires)) === true",
        replace: "await consumeOnce(await sha256Hex(flow), expires)\n      return true",
      },
    ],
    within: 600,
  },
  {
    name: "A completed flow is looked up and remembered in two steps",
    edits: [
      {
        file: replay,
        find: storedGuard,
        replace:
          "return { async consume(id) { const isFirst = !spent.has(id); await store.getUser(id); spent.add(id); return isFirst } }",
      },
      {
        file: replay,
        find: "const marginSeconds = 60",
        replace: "const marginSeconds = 60\nconst spent = new Set<string>()",
      },
    ],
    within: 1500,
  },
  {
    name: "A completed flow is forgotten by the other instances",
    edits: [
      {
        file: replay,
        find: storedGuard,
        replace:
          "const spent = new Set<string>()\n  return { consume: (id) => !spent.has(id) && spent.add(id).size > 0 }",
      },
    ],
    within: 1000,
  },
  {
    name: "The nonce of an ID token is not compared",
    edits: [
      {
        file: "oauth/token.ts",
        find: "assertNonce(token, grant.nonce)",
        replace: "assertNonce(token, String(token.claims['nonce']))",
      },
      {
        file: "oauth/token.ts",
        find: "expectedNonce: grant.nonce",
        replace: "expectedNonce: String(token?.claims['nonce'])",
      },
    ],
    within: 600,
  },
  {
    name: "Accounts are looked up by their subject at any provider",
    edits: [
      {
        file: "methods/oauth/steps.ts",
        find: "const owner = await store?.getUserByAccount({ provider: id, providerAccountId })",
        replace:
          "const owner = (await store?.getUserByAccount({ provider: id, providerAccountId })) ?? (await store?.getUserByAccount({ provider: 'north', providerAccountId }))",
      },
    ],
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
    within: 300,
  },
  {
    name: "A provider verifies another address than its own",
    edits: [
      {
        file: "account/email-trust.ts",
        find: "if (!proof.user.email || !isSameAddress(email, proof.user.email)) return",
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
    name: "Signing in does not end the former session",
    edits: [
      {
        file: "session/database.ts",
        find: "session: ended } of former)",
        replace: "session: ended } of former.slice(99))",
      },
    ],
    within: 300,
  },
  {
    name: "Linking an account keeps the session's token",
    edits: [
      {
        file: "session/database.ts",
        find: "const session = isSame ?",
        replace: "if (isSame) return rows.toCookies(current.session, jar)\n      const session = isSame ?",
      },
    ],
    within: 300,
  },
  {
    name: "Signing out leaves the stored session",
    edits: [
      {
        file: "session/database.ts",
        find: "tokens.map((token) => store.deleteSession(token))",
        replace: "tokens.slice(1).map((token) => store.deleteSession(token))",
      },
    ],
    within: 100,
  },
  {
    name: "Any site signs visitors out",
    edits: [
      {
        file: "actions/routes.ts",
        find: `POST: guarded(limited("signOut", endSession))`,
        replace: `POST: limited("signOut", endSession)`,
      },
    ],
    within: 600,
  },
  {
    name: "Any site posts a password form",
    edits: [
      {
        file: "actions/callback.ts",
        find: "if (method.isCallbackOurForm) {",
        replace: "if (method.isCallbackOurForm && !method) {",
      },
    ],
    within: 600,
  },
  {
    name: "The answer of a passkey can be sent twice",
    edits: [
      { file: "checks/challenge.ts", find: "if (!(await deps.replayGuard.consume(flow)))", replace: "if (!flow)" },
    ],
    within: 1000,
  },
  {
    name: "The redirect callback's answer is not checked",
    edits: [
      {
        file: "checks/callback-url.ts",
        find: "const target = toSafeTarget(await redirect({ url, baseUrl }), baseUrl)",
        replace: "const target = String(new URL(await redirect({ url, baseUrl }), baseUrl)) as CallbackUrl",
      },
    ],
    within: 600,
  },
  {
    name: "Failures are counted by network alone",
    edits: [
      {
        file: limiter,
        find: "names.map(({ counted }) => ({ ...key, account: counted }))",
        replace: "names.slice(1).map(({ counted }) => ({ ...key, account: counted }))",
      },
      { file: limiter, find: `for (const key of keys) await counters.consume("failuresPerAccount", key)`, replace: "" },
    ],
    within: 600,
  },
  {
    name: "Failures are not counted by account",
    edits: [
      { file: limiter, find: `for (const key of keys) await counters.consume("failuresPerAccount", key)`, replace: "" },
    ],
    within: 1500,
  },
  {
    name: "Networks from which a user signed in are forgotten",
    edits: [{ file: limiter, find: "own && knownNetworks.remember(own, network),", replace: "" }],
    within: 1500,
  },
  {
    name: "Budgets are ten times too large",
    edits: [
      {
        file: "rate-limit/counters.ts",
        find: "if (used <= budget.limit) return",
        replace: "if (used <= 10 * budget.limit) return",
      },
    ],
    within: 600,
  },
  {
    name: "The log quotes the password when the host's directory fails",
    edits: [
      {
        file: "methods/credentials/steps.ts",
        find: "const err = cleanError(toError(error), Object.values(credentials))",
        replace: "const err = toError(error)",
      },
    ],
    within: 600,
  },
]
