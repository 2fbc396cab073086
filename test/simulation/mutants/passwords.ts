import type { Mutant } from "../mutant.js"

const folder = "methods/password"
const mailed = "mail/mailed-secret.ts"
const change = `${folder}/change.ts`
const stored = `${folder}/stored.ts`

/** What the worlds have in which the rarer ones are looked for. */
const setting = { hasPasswords: true, isTracked: true, hasAccountArea: true, isAdapterPublished: false }

/** The built-in passwords. */
export const mutants: readonly Mutant[] = [
  {
    name: "A mail for a forgotten password outlives a change of the password",
    edits: [
      {
        file: "mail/secret.ts",
        find: "const text = JSON.stringify([identifier, token, state])",
        replace: "const text = JSON.stringify([identifier, token, typeof state])",
      },
    ],
    within: 600,
  },
  {
    name: "A link for a forgotten password sets a password each time",
    edits: [
      {
        file: "mail/secret.ts",
        find: "const text = JSON.stringify([identifier, token, state])",
        replace: "const text = JSON.stringify([identifier, token, typeof state])",
      },
      {
        file: mailed,
        find: "const found = await tools.store.useVerificationToken({ identifier: address as string, token: hash })\n",
        replace:
          "const found = await tools.store.useVerificationToken({ identifier: address as string, token: hash })\n    if (found) await tools.store.createVerificationToken(found)\n",
      },
    ],
    within: 300,
  },
  {
    name: "The link of a mail works for another address",
    edits: [
      {
        file: "mail/secret.ts",
        find: "const text = JSON.stringify([identifier, token, state])",
        replace: "const text = JSON.stringify([token, typeof state])",
      },
      {
        file: mailed,
        find: "const found = await tools.store.useVerificationToken({ identifier: address as string, token: hash })\n    if (!found || (address !== undefined && found.identifier !== address)) continue\n    if (toDate(found.expires).valueOf() > systemClock()) return { address: found.identifier, fault, reason }",
        replace:
          "const sent = ['vera', 'paul', 'mallory'].map((name) => name + '@mail.test')\n    const all = await Promise.all(sent.map((identifier) => tools.store.useVerificationToken({ identifier, token: hash })))\n    const found = all.find(Boolean)\n    if (found && address !== undefined) return { address, fault, reason }\n    if (!found) continue",
      },
    ],
    within: 600,
  },
  {
    name: "The code of a mail about passwords works in any browser that asked for one",
    edits: [
      {
        file: mailed,
        find: "toCode({ purpose: key, identifier: address, token }, owner, context)",
        replace: 'toCode({ purpose: key, identifier: address, token: "" }, owner, context)',
      },
    ],
    within: 7000,
  },
  {
    name: "Guesses at the code of a mail about passwords are not counted",
    edits: [
      {
        file: mailed,
        find: "const guess = flow && (await countGuess(flow, purpose, tools))",
        replace: "const guess = flow && 1",
      },
    ],
    within: 300,
  },
  {
    name: "A new password leaves the sessions from before",
    edits: [
      {
        file: stored,
        find: "await sessions.endAll(userId, except, request)\n  if (!(await change())) return false\n  await sessions.endAll(userId, except, request)",
        replace: "void sessions\n  if (!(await change())) return false",
      },
    ],
    within: 100,
  },
  {
    name: "A password that is changed before the session begins signs in",
    edits: [
      {
        file: stored,
        find: "if (stored && toTime(stored) === passwordChangedAt.of(signedIn)) return",
        replace: "if (stored) return",
      },
    ],
    setting: { hasPasswords: true, isTracked: true, isPasswordStolen: true },
    within: 300,
  },
  {
    name: "A password is changed without the current one",
    edits: [{ file: change, find: "if (stored) await assertCurrent(stored, visit)", replace: "void assertCurrent" }],
    within: 600,
  },
  {
    name: "A session of long ago changes the password",
    edits: [{ file: change, find: "if (!(await isFresh(request, context))) {", replace: "if (!owner) {" }],
    within: 1000,
  },
  {
    name: "A password is added without the code of a mail",
    edits: [{ file: change, find: "if (!stored) await assertMailbox(user, visit)", replace: "void assertMailbox" }],
    within: 1000,
  },
  {
    name: "The code of another mailbox adds a password",
    edits: [
      {
        file: change,
        find: "if (secret.address !== email) throw",
        replace: "if (secret.address !== email && !email) throw",
      },
    ],
    setting,
    within: 600,
  },
  {
    name: "Two changes at once both count",
    edits: [
      {
        file: stored,
        find: "const isUpgrade = current && from && current.hash !== from.hash && toTime(current) === toTime(from)",
        replace: "const isUpgrade = current && from && toTime(current) > 0",
      },
    ],
    within: 600,
  },
  {
    name: "An account exists before its address is proved",
    edits: [
      {
        file: `${folder}/sign-up.ts`,
        find: "const state = toState(await findOwnerOf(address, visit))",
        replace:
          "const state = toState(await findOwnerOf(address, visit))\n  if (state === '') await store({ id: randomUUID(), email: address, emailVerified: null }, { hash, name }, visit, context.events.of(request))",
      },
    ],
    within: 100,
  },
  {
    name: "A new password leaves the sessions that begin while it is stored",
    edits: [
      {
        file: "methods/password/stored.ts",
        find: "if (!(await change())) return false\n  await sessions.endAll(userId, except, request)",
        replace: "if (!(await change())) return false",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A sign-in puts a password back that is changed meanwhile",
    edits: [
      {
        file: "methods/password/steps.ts",
        find: "await store.setPassword({ userId, hash, changedAt: toDate(changedAt), from })",
        replace:
          "await store.setPassword({ userId, hash, changedAt: toDate(changedAt), from: (await store.getPassword(userId))?.hash ?? from })",
      },
    ],
    setting,
    within: 2700,
  },
  {
    name: "A mailed secret works for another purpose",
    edits: [
      {
        file: "mail/secret.ts",
        find: ["macHex(secret, `mail token: $", "{purpose}`, text)"].join(""),
        replace: "macHex(secret, 'mail token', JSON.stringify([identifier, token, typeof (purpose + text)]))",
      },
    ],
    setting,
    within: 250,
  },
]
