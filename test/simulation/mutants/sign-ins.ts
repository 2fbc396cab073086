import type { Mutant } from "../mutant.js"

const flow = "checks/oauth-flow.ts"
const replay = "checks/replay.ts"
const follow = "methods/email/follow-link.ts"
const secret = "mail/secret.ts"
const storedGuard = 'store?.has("consumeOnce") ? createStoredReplayGuard(store)'

/** Sign-ins, links and codes. */
export const mutants: readonly Mutant[] = [
  {
    name: "A flow is not bound to the browser that began it",
    edits: [
      { file: flow, find: "claims.browser !== undefined && !isSame", replace: "claims.browser === '' && !isSame" },
    ],
    within: 700,
  },
  {
    name: "A prefetch spends a mailed link",
    edits: [
      {
        file: follow,
        find: "if (isPrefetch(request)) return",
        replace: "if (isPrefetch(request) && !provider.id) return",
      },
    ],
    within: 600,
  },
  {
    name: "A mailed code works at another email provider",
    edits: [{ file: secret, find: "JSON.stringify([provider.id, token])", replace: "JSON.stringify([token])" }],
    within: 300,
  },
  {
    name: "A mailed link works after it has expired",
    edits: [
      {
        file: "mail/mailed-secret.ts",
        find: "if (toDate(found.expires).valueOf() > systemClock()) return",
        replace: "if (found.expires) return",
      },
    ],
    within: 1000,
  },
  {
    name: "The owner of an address shares a user whom someone else created with it",
    edits: [
      {
        file: "methods/email/resolve-user.ts",
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
        find: "return (await store.consumeOnce(await sha256Hex(flow), expires)) === true",
        replace: "await store.consumeOnce(await sha256Hex(flow), expires)\n      return true",
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
          'store?.has("consumeOnce") ? { async consume(id) { const isFirst = !spent.has(id); await store.getUser(id); spent.add(id); return isFirst } }',
      },
      {
        file: replay,
        find: "const rememberedMs =",
        replace: "const spent = new Set<string>()\nconst rememberedMs =",
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
          'store?.has("consumeOnce") ? ((spent) => ({ consume: (id: string) => !spent.has(id) && spent.add(id).size > 0 }))(new Set<string>())',
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
    name: "The answer of a passkey can be sent twice",
    edits: [
      { file: "checks/challenge.ts", find: "if (!(await deps.replayGuard.consume(flow)))", replace: "if (!flow)" },
    ],
    within: 1000,
  },
  {
    name: "The hash of a mailed token works as the token",
    edits: [
      {
        file: secret,
        find: "return Promise.all(isOnly ? [...unbound, ...bound] : [...bound, ...unbound])",
        replace: "return [...(await Promise.all([...bound, ...unbound])), token]",
      },
    ],
    within: 600,
  },
]
