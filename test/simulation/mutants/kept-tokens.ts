import type { Mutant } from "../mutant.js"

const keeper = "features/access-tokens/keeper.ts"
const access = "features/access-tokens/access-token.ts"

/** What the worlds have in which the rarer ones are looked for. */
const setting = { keepsTokens: true, isFaulty: true, isAdapterPublished: false }

/** The tokens of providers that are kept fresh. */
export const mutants: readonly Mutant[] = [
  {
    name: "Two callers refresh one token at once",
    edits: [
      {
        file: keeper,
        find: "if (!(await deps.leases.take({ id, holder, until: new Date(untilMs) }))) return null",
        replace: "await deps.leases.take({ id, holder, until: new Date(untilMs) })",
      },
    ],
    within: 300,
  },
  {
    name: "A caller refreshes with a lease that ran out while the store was slow",
    edits: [{ file: keeper, find: "if (deps.clock() + callMs > untilMs) return null", replace: "" }],
    within: 1500,
  },
  {
    name: "The request decides whose access token it gets",
    edits: [
      {
        file: access,
        find: "  const found = await findTokens(workshop.place, { ...options, userId }, visit)",
        replace:
          "  const { providerAccountId = '' } = options\n  const named = await context.store?.getAccount(providerAccountId, provider.id)\n  const found = await findTokens(workshop.place, { ...options, userId: named?.userId ?? userId }, visit)",
      },
    ],
    within: 300,
  },
  {
    name: "The user of a refreshed ID token is not compared",
    edits: [
      {
        file: "oauth/refresh.ts",
        find: "if (claims.sub !== subject) throw",
        replace: "if (claims.sub === '') throw",
      },
    ],
    within: 1000,
  },
  {
    name: "An outage counts as a refusal of the refresh token",
    edits: [
      {
        file: access,
        find: `if (!isUnused) return isUnreachable ? "unreachable" : "lost"`,
        replace: `if (!isUnused) return isUnreachable ? "refused" : "refused"`,
      },
      { file: access, find: `return isPassing ? "unreachable"`, replace: `return isPassing ? "refused"` },
      { file: access, find: `if (!(error instanceof ProviderError)) return "lost"`, replace: "" },
    ],
    within: 1200,
  },
  {
    name: "Tokens are stored in clear",
    edits: [
      {
        file: "features/access-tokens/account-vault.ts",
        find: "(isSealing ? sealTokens(tokens, key, sealer) :",
        replace: "(isSealing && tokens.access_token === '' ? sealTokens(tokens, key, sealer) :",
      },
    ],
    within: 100,
  },
  {
    name: "A caller refreshes a token that was refreshed while it asked for the lease",
    edits: [
      {
        file: keeper,
        find: "const earlier = (await results.recall(turn)) ?? (await findChange(turn, keeping.vault))",
        replace: "const earlier: Kept | null = null",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A refresh token whose answer was lost is presented again at once",
    edits: [
      {
        file: keeper,
        find: `if (result.kind !== "lost" && !results.hasUnwritten(turn.key)) await`,
        replace: "await",
      },
      { file: keeper, find: "const failureMemoryMs = 5_000", replace: "const failureMemoryMs = 0" },
    ],
    setting,
    within: 6000,
  },
]
