import type { Mutant } from "../mutant.js"

const folder = "second-factors"
const own = `${folder}/own-factors.ts`
const routes = `${folder}/routes.ts`

/** Second factors, and sign-ins that wait for one. */
export const mutants: readonly Mutant[] = [
  ...[
    ["A mailed secret", "email"],
    ["An account at a provider", "fed"],
    ["A password", "pwd"],
  ].map(
    ([name, method]): Mutant => ({
      name: `${name} passes the second factor`,
      edits: [
        {
          file: "account/session-proofs.ts",
          find: `return has("pwd", "email", "fed") + has("otp", "rcv", "mfa") + key`,
          replace: `return has("pwd", "email", "fed") + has("otp", "rcv", "mfa", "${method}") + key`,
        },
      ],
      within: 300,
    }),
  ),
  {
    name: "A reset passes the second factor",
    edits: [
      { file: "password-sign-in/reset.ts", find: `achieved: ["email"],`, replace: `achieved: ["email", "mfa"],` },
    ],
    within: 1000,
  },
  {
    name: "A code of an authenticator app is accepted again",
    edits: [
      {
        file: `${folder}/totp.ts`,
        find: "return lastStep !== null && step <= lastStep ? null",
        replace: "return lastStep !== null && step < 0 ? null",
      },
    ],
    within: 300,
  },
  {
    name: "The code of the setup signs in",
    edits: [
      {
        file: `${folder}/enrollment.ts`,
        find: "lastStep: accepted.lastStep ?? null",
        replace: "lastStep: accepted.lastStep === 0 ? 0 : null",
      },
    ],
    within: 600,
  },
  {
    name: "Codes for one sign-in can be guessed without end",
    edits: [{ file: routes, find: "await tools.holds.countAttempt(pending)", replace: "void tools" }],
    within: 300,
  },
  {
    name: "Second factors are changed without a new sign-in",
    edits: [
      {
        file: own,
        find: "if (!found || (await isFresh(found, request.cookies, tools))) return found",
        replace: "if (!found || tools) return found",
      },
    ],
    within: 300,
  },
]
