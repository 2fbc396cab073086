import type { Mutant } from "../mutant.js"

const folder = "features/second-factors"
const own = `${folder}/own-factors.ts`
const routes = `${folder}/routes.ts`
const hold = `${folder}/hold.ts`

/** What the worlds have in which the rarer ones are looked for. */
const setting = { hasSecondFactors: true, isAdapterPublished: false }

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
    name: "Whoever has got into a mailbox, or an account at a provider, sets up an app in place of the passkey",
    edits: [
      {
        file: `${folder}/unproved.ts`,
        find: "return all.filter((_, n) => found[n])",
        replace: "return all.filter((_, n) => found[n] && n < 0)",
      },
    ],
    setting: { ...setting, isFactorRequired: true },
    within: 100,
  },
  {
    name: "A second factor that everyone needs is not asked for",
    edits: [
      {
        file: `${folder}/admission.ts`,
        find: "if (!hasFactor && !isDemanded) return admit",
        replace: "if (!hasFactor || !isDemanded) return hasFactor ? askForFactor : admit",
      },
    ],
    setting: { ...setting, isFactorRequired: true },
    within: 100,
  },
  {
    name: "An imported second factor is not asked for",
    edits: [
      {
        file: `${folder}/factor.ts`,
        find: "return rows.filter((row) => isFactor(row) && isShown(row))",
        replace: "return rows.filter((row) => isFactor(row) && isShown(row) && !isImported(row))",
      },
    ],
    setting,
    within: 100,
  },
  {
    name: "An imported app counts beside the one that its user has set up",
    edits: [
      {
        file: `${folder}/enrollment.ts`,
        find: "!isImported(row) || row.kind === kind",
        replace: "isImported(row) && row.kind === kind",
      },
    ],
    setting,
    within: 100,
  },
  {
    name: "A reset passes the second factor",
    edits: [
      { file: "methods/password/reset.ts", find: `achieved: ["email"],`, replace: `achieved: ["email", "mfa"],` },
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
    name: "A sign-in goes on that waited while all sessions of its user ended",
    edits: [
      {
        file: hold,
        find: "isEnding(row) && row.label !== flow",
        replace: "isEnding(row) && row.version > 0 && row.label !== flow",
      },
    ],
    setting: { ...setting, isTracked: true },
    within: 1000,
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
  {
    name: "Two requests with one code of an app both count",
    edits: [
      {
        file: `${folder}/factor.ts`,
        find: "if ((await store.changeFactor(change)) === true) return accepted",
        replace: "if (typeof (await store.changeFactor(change)) === 'boolean') return accepted",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A recovery code is accepted again",
    edits: [
      {
        file: `${folder}/recovery-codes.ts`,
        find: "{ secret: formatSet({ ...set, hashes: left }) }",
        replace: "{ secret: formatSet(set) }",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A sign-in that waits is completed twice",
    edits: [
      {
        file: hold,
        find: `const where = store?.has("keepTemporary") ?`,
        replace: `const where = store?.has("keepTemporary") && rest["url"] === "" ?`,
      },
      {
        file: hold,
        find: "if (!(await replayGuard.consume(hold.flow))) throw",
        replace: "if (hold.userId === '') throw",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A sign-in waits for its second factor for a day",
    edits: [
      {
        file: "http/own-cookies.ts",
        find: 'seconds: 10 * minute, seal: "held:cookie"',
        replace: 'seconds: 24 * 60 * minute, seal: "held:cookie"',
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "The code is compared for the user of the session, not of the sign-in that waits",
    edits: [
      {
        file: routes,
        find: "const spent = await spendCode({ factor, userId: pending.userId, code }, tools)",
        replace:
          "const userId = String((await context.sessions.findUser(request.cookies))?.id ?? pending.userId)\n  const spent = await spendCode({ factor, userId, code }, tools)",
      },
    ],
    setting: { ...setting, isPasswordStolen: true },
    within: 1400,
  },
  {
    name: "A password that is changed while the sign-in waits still signs in",
    edits: [
      {
        file: "methods/password/stored.ts",
        find: "if (stored && toTime(stored) === passwordChangedAt.of(signedIn)) return",
        replace:
          "if (stored && (toTime(stored) === passwordChangedAt.of(signedIn) || signedIn.achieved.length > 1)) return",
      },
      // The end of all sessions ends it as well.
      {
        file: hold,
        find: "isEnding(row) && row.label !== flow",
        replace: "isEnding(row) && row.version > 0 && row.label !== flow",
      },
    ],
    setting: { ...setting, hasPasswords: true, isTracked: true },
    within: 250,
  },
]
