import type { Mutant } from "../mutant.js"

const follow = "methods/email/follow-link.ts"
const mailed = "mail/mailed-secret.ts"

/** Links that other browsers open, and codes that are typed. */
export const mutants: readonly Mutant[] = [
  {
    name: "A GET of another browser spends a mailed link",
    edits: [
      {
        file: follow,
        find: `(opening === "confirm" && request.method === "POST")) return true`,
        replace: `(opening === "confirm" && request.method !== "HEAD")) return true`,
      },
    ],
    within: 100,
  },
  {
    name: "A form spends a link that only shows its code",
    edits: [{ file: follow, find: `(opening === "confirm" && request`, replace: `(opening !== undefined && request` }],
    setting: { isLinkClosed: true },
    within: 300,
  },
  {
    name: "The code of a mail works in any browser that asked for a mail to its address",
    edits: [
      {
        file: mailed,
        find: "toCode({ purpose: key, identifier: address, token }, owner, context)",
        replace: 'toCode({ purpose: key, identifier: address, token: "" }, owner, context)',
      },
    ],
    within: 300,
  },
  {
    name: "Guesses at the code of one mail are not counted",
    edits: [
      {
        file: "mail/flow.ts",
        find: "if (await guard.consume(guessId(flow, n))) return n",
        replace: "if (await guard.consume(guessId(flow, n) + Math.random())) return n",
      },
    ],
    within: 300,
  },
  {
    name: "The facts of a wrong code have the address of its mail",
    edits: [
      {
        file: mailed,
        find: 'because("code-guesses", { guess, allowed: maxGuesses })',
        replace: 'because("code-guesses", { guess, allowed: maxGuesses, host: flow.identifier })',
      },
    ],
    within: 300,
  },
  {
    name: "A code leaves the link of its mail alive",
    edits: [
      {
        file: follow,
        find: `const identifier = await consumeCode(secret, purpose, "", visit)`,
        replace: "const identifier = secret.address",
      },
    ],
    within: 300,
  },
  {
    name: "The cookie of a used mail takes its code again",
    edits: [
      {
        file: follow,
        find: `const identifier = await consumeCode(secret, purpose, "", visit)`,
        replace: `const identifier = await consumeCode(secret, purpose, "", visit).catch(() => secret.address)`,
      },
    ],
    within: 300,
  },
  {
    name: "A mail that is sent again leaves the former code alive",
    edits: [
      {
        file: mailed,
        find: "if (former) await voidCode(former, guesses)",
        replace: "if (former?.id === '') await voidCode(former, guesses)",
      },
    ],
    within: 1000,
  },
  {
    name: "The page of a link names no address",
    edits: [
      {
        file: follow,
        find: "const address = email === undefined ? undefined : maskAddress(email)",
        replace: "const address = email === undefined ? maskAddress('') : undefined",
      },
    ],
    within: 100,
  },
  {
    name: "A mail is sent again without a pause from another browser",
    edits: [
      {
        file: "mail/flow.ts",
        find: "if (!(await guard.consume(idOf(0)))) return (slot + 1) * slotMs",
        replace: "await guard.consume(idOf(0))",
      },
    ],
    setting: { isAdapterPublished: false, isFaulty: false },
    within: 1000,
  },
  {
    name: "A mail is sent again without a pause",
    edits: [
      {
        file: "mail/flow.ts",
        find: "if (!(await guard.consume(idOf(0)))) return (slot + 1) * slotMs",
        replace: "await guard.consume(idOf(0))",
      },
      {
        file: mailed,
        find: "if (pauseSeconds > 0) return systemClock()",
        replace: "if (pauseSeconds > 99) return systemClock()",
      },
    ],
    setting: { isAdapterPublished: false, isFaulty: false, hasPasswords: true, isTracked: true },
    within: 300,
  },
  {
    name: "A page that is loaded again sends its mail again",
    edits: [
      {
        file: "methods/password/sign-up.ts",
        find: "  if (flow) return showPage(codePage(flow, request, context), error, visit)\n",
        replace:
          "  if (flow) {\n    const { identifier: address, target, data } = flow\n    await send({ address, state: toState(await findOwnerOf(address, visit)), target, data }, [], visit)\n    return showPage(codePage(flow, request, context), error, visit)\n  }\n",
      },
    ],
    setting: { isAdapterPublished: false, hasPasswords: true, isTracked: true },
    within: 100,
  },
]
