import type { Mutant } from "../mutant.js"

const token = "oauth/logout-token.ts"

/** Sessions that a provider ends. */
export const mutants: readonly Mutant[] = [
  {
    name: "The signature of a logout token is not verified",
    edits: [{ file: token, find: "await verifySignature(token, context)", replace: "await Promise.resolve()" }],
    within: 300,
  },
  {
    name: "A logout token of another provider is accepted",
    edits: [
      { file: token, find: 'assertIssuer(token.claims["iss"], token.claims, context)', replace: "" },
      { file: token, find: "assertAudience(token, context)\n  assertTime", replace: "assertTime" },
    ],
    within: 300,
  },
  {
    name: "A logout token is obeyed each time it is sent",
    edits: [
      {
        file: "features/provider-logout/receive.ts",
        find: "if (!(isFirst || isLeft || unfinished.has(use))) return\n",
        replace: "void isLeft\n",
      },
    ],
    within: 1400,
  },
  {
    name: "A logout token is answered with 200 and ignored",
    edits: [
      {
        file: "features/provider-logout/receive.ts",
        find: "const count = await store.endSessions(selection)",
        replace: "const count = await Promise.resolve(Object.keys(selection).length - 2)",
      },
    ],
    within: 300,
  },
]
