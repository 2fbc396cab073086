import type { Mutant } from "../mutant.js"

const folder = "features/account-area"
const change = `${folder}/email-change.ts`
const undo = `${folder}/email-undo.tsx`
const former = `${folder}/former-addresses.ts`
const deletion = `${folder}/deletion.ts`
const ways = `${folder}/own-sign-in-methods.ts`
const area = `${folder}/area.ts`
const routes = `${folder}/routes.ts`
const visit = "features/visit.ts"

/** What the worlds have in which these are looked for. */
const setting = { hasAccountArea: true, isTracked: true, isAdapterPublished: false }

/** The pages where users manage their own account. */
export const mutants: readonly Mutant[] = [
  {
    name: "A mail for a new address works for any user",
    edits: [
      {
        file: change,
        find: "return JSON.stringify([visit.userId, getAddress(visit)])",
        replace: `return typeof getAddress(visit)`,
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A mail for a new address works again",
    edits: [
      {
        file: change,
        find: "    await consumeSecret(secret, changePurpose, state, mailVisit)\n",
        replace: "    await consumeSecret(secret, changePurpose, state, mailVisit).catch(() => {})\n",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "The former address gets no link that undoes a change",
    edits: [
      {
        file: change,
        find: "if (kept && !isReturn) await tellFormer",
        replace: "if (kept && !isReturn && address === '') await tellFormer",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A new address leaves the other sessions alive",
    edits: [
      { file: change, find: "  await ownSessions(context).endAll(userId, sessions?.[0]?.id, request)\n", replace: "" },
    ],
    setting,
    within: 250,
  },
  {
    name: "The last address is restored instead of the oldest",
    edits: [
      {
        file: "account/address-change.ts",
        find: "live.toSorted((one, other) => one.until - other.until)",
        replace: "([] as Former[])",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "Opening the link undoes a change",
    edits: [{ file: undo, find: `GET: limited("callback", show)`, replace: `GET: limited("callback", undo)` }],
    setting,
    within: 250,
  },
  {
    name: "An undo leaves the sessions alive",
    edits: [
      {
        file: undo,
        find: "  const cookies = await endOwn(userId, request, context)\n  await own.endAll(userId, undefined, request)\n",
        replace: "  const cookies = await endOwn(userId, request, context)\n",
      },
      {
        file: undo,
        find: "  await cancelDeletion(userId, request, context)\n  await own.endAll(userId, undefined, request)\n",
        replace: "  await cancelDeletion(userId, request, context)\n",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "An undo leaves the password that a thief may know",
    edits: [{ file: undo, find: "  await voidSecrets(userId, context, store)\n", replace: "" }],
    setting,
    within: 600,
  },
  {
    name: "A change can be undone for ever",
    edits: [
      {
        file: former,
        find: "if (change?.kind !== kind || !isCurrent(change)) return null",
        replace: "if (change?.kind !== kind) return null",
      },
      {
        file: former,
        find: "sealer.seal(purpose, claims, undoSeconds)",
        replace: "sealer.seal(purpose, claims, 99 * undoSeconds)",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "The link of one change undoes another",
    edits: [
      {
        file: former,
        find: "return tokens.filter((own) => isEqualInConstantTime(own, token)).length > 0 ? kept : null",
        replace: "return tokens.length > 0 && token ? kept : null",
      },
    ],
    setting,
    within: 1500,
  },
  {
    name: "A new user takes an address that another one can have restored",
    edits: [
      {
        file: former,
        find: "!(await isReserved(params, findCurrent, config)) && callbacks.signIn(params, findCurrent)",
        replace: "(await isReserved(params, findCurrent, config)) || callbacks.signIn(params, findCurrent)",
      },
      { file: area, find: "    onUserCreated: takeBackReserved,\n", replace: "    onUserCreated: async () => {},\n" },
    ],
    setting,
    within: 250,
  },
  {
    name: "The account is changed without a recent proof",
    edits: [
      {
        file: routes,
        find: "if (!visit.isFresh && !unproved.includes(name)) {",
        replace: "if (!visit.isFresh && !unproved.includes(name) && name === '') {",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A session that has ended opens the account area",
    edits: [
      {
        file: visit,
        find: "return sessions && { request, context, user, userId, sessions }",
        replace: "return { request, context, user, userId, sessions }",
      },
      // The cookie alone is believed for some seconds, where a lookup of the user asks the store.
      {
        file: visit,
        find: "const user = await context.sessions.findUser(request.cookies)\n",
        replace:
          "const user = await context.sessions.findUser(request.cookies, async (id) => (await context.store?.getUser(id)) ?? null)\n",
      },
    ],
    setting: { ...setting, strategy: "jwt" },
    within: 250,
  },
  {
    name: "Any site posts a form of the account area",
    edits: [
      {
        file: routes,
        find: '  return guarded(\n    limited("callback", async (request, context) => {',
        replace: '  return ((route: Route) => route)(\n    limited("callback", async (request, context) => {',
      },
    ],
    setting: setting,
    within: 600,
  },
  {
    name: "The last way to sign in can be removed",
    edits: [
      {
        file: "account/unlinking.ts",
        find: "const isNeeded = method.works &&",
        replace: "const isNeeded = method.provider === '' &&",
      },
      {
        file: ways,
        find: "if (!wasUsable || (await listOwnSignInMethods(visit)).some(({ works }) => works)) return",
        replace: "if (wasUsable || row) return",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "Two removals at once each leave the way that the other removes",
    edits: [
      {
        file: ways,
        find: "if (!wasUsable || (await listOwnSignInMethods(visit)).some(({ works }) => works)) return",
        replace: "if (wasUsable || row) return",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A removed account leaves the sessions that began with it",
    edits: [{ file: ways, find: "  await endSessionsOf(account, visit)\n", replace: "" }],
    setting: { ...setting, isFaulty: false },
    within: 250,
  },
  {
    name: "A sign-in outlives the removal of its account while it is under way",
    edits: [
      {
        file: area,
        find: "if (await isStillTheirs(account, store)) return\n",
        replace: "if ((await isStillTheirs(account, store)) || account) return\n",
      },
    ],
    setting: { ...setting, isFaulty: false },
    within: 300,
  },
  {
    name: "A thief adds an account to a session of long ago",
    edits: [
      {
        file: area,
        find: "    if (await areaGate.isFresh(request, context)) return null\n",
        replace: "    if ((await areaGate.isFresh(request, context)) || provider) return null\n",
      },
    ],
    setting: { ...setting, hasSecondFactors: false },
    within: 250,
  },
  {
    name: "A sign-in leaves the deletion planned",
    edits: [{ file: area, find: "      if (deleteAfterDays > 0) {", replace: "      if (deleteAfterDays > 999) {" }],
    setting,
    within: 250,
  },
  {
    name: "Users are deleted before their time",
    edits: [
      {
        file: deletion,
        find: `if (typeof due !== "number" || due > systemClock()) continue`,
        replace: `if (typeof due !== "number") continue`,
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "The job deletes a user whose deletion was canceled meanwhile",
    edits: [{ file: deletion, find: "if (!(await claim(adapter))) return false", replace: "await claim(adapter)" }],
    setting: { ...setting, isDeletionPlanned: true },
    within: 5000,
  },
  {
    name: "A planned deletion leaves the sessions alive",
    edits: [
      {
        file: deletion,
        find: "    await ownSessions(context).endAll(userId, undefined, request)\n  } catch (error) {",
        replace: "  } catch (error) {",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "An account is linked by an address that its user gave up meanwhile",
    edits: [
      {
        file: "account/link-oauth.ts",
        find: "if (isByEmail) await assertStillEmailOwner(user, proof, deps)",
        replace: "if (isByEmail && proof.user.email === '') await assertStillEmailOwner(user, proof, deps)",
      },
    ],
    setting: { ...setting, isEmailLinked: true },
    within: 10_000,
  },
]
