import type { Mutant } from "../mutant.js"

const names = "rate-limit/account-name.ts"
const limiter = "rate-limit/limiter.ts"

/** Budgets, and what the log says. */
export const mutants: readonly Mutant[] = [
  {
    name: "Failures are counted by network alone",
    edits: [
      {
        file: limiter,
        find: "[names.flatMap(pairsOf),",
        replace: "[names.slice(1).flatMap(pairsOf),",
      },
      { file: limiter, find: `for (const key of keys) await count("failuresPerAccount", key)`, replace: "" },
    ],
    within: 600,
  },
  {
    name: "Failures are not counted by account",
    edits: [{ file: limiter, find: `for (const key of keys) await count("failuresPerAccount", key)`, replace: "" }],
    within: 1500,
  },
  {
    name: "Each spelling of an address has a budget of its own",
    edits: [
      {
        file: names,
        find: "\\p{Z}\\p{Default_Ignorable_Code_Point}]`",
        replace: "\\p{Z}]`",
      },
      {
        file: names,
        find: "return unique([fold(text), ...findAddress(text)])",
        replace: "return unique([fold(text)])",
      },
      {
        file: "methods/password/steps.ts",
        find: "{ credentials: { email: address ?? name }, provider,",
        replace: "{ credentials: { email: name }, provider,",
      },
    ],
    within: 100,
  },
  {
    name: "A user name has a budget for each way to write it with letters that nobody sees",
    edits: [
      {
        file: names,
        find: "\\p{Z}\\p{Default_Ignorable_Code_Point}]`",
        replace: "\\p{Z}]`",
      },
    ],
    setting: { hasPasswords: false },
    within: 100,
  },
  {
    name: "A user id that strangers type as a name uses up the budget of its user",
    edits: [
      { file: names, find: `const key = toKey("user", secret, userId)`, replace: `const key = toKey("name", userId)` },
    ],
    setting: { hasPasswords: true, isTracked: true, isAdapterPublished: false },
    within: 300,
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
        find: "const err = cleanError(toError(error), [Object.values(credentials), own])",
        replace: "const err = toError(error)",
      },
    ],
    within: 600,
  },
  {
    name: "Guesses of codes are not counted",
    edits: [
      {
        file: names,
        find: `toKey("token", provider, form)`,
        replace: `toKey("token", provider, form, \`\${Math.random()}\`)`,
      },
    ],
    within: 300,
  },
]
