import type { Mutant } from "../mutant.js"

/** Whose session a browser has, and what other sites can do to it. */
export const mutants: readonly Mutant[] = [
  {
    name: "A revoked stateless session still names the current user",
    edits: [
      {
        file: "session/jwt.ts",
        find: "(claims) => claims && keep(claims)",
        replace: "(claims) => claims",
      },
    ],
    within: 300,
  },
  {
    name: "A revoked stateless session is still answered",
    edits: [
      {
        file: "session/jwt.ts",
        find: "findSession(values, decrypt, (claims) => keep(claims, check))",
        replace: "findSession(values, decrypt, async (claims) => (await keep(claims, check)) ?? claims)",
      },
    ],
    within: 300,
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
        find: `if (method.isCallbackOurForm && request.method === "POST") {`,
        replace: `if (method.isCallbackOurForm && request.method === "PUT") {`,
      },
    ],
    within: 600,
  },
  {
    name: "The redirect callback's answer is not checked",
    edits: [
      {
        file: "checks/callback-url.ts",
        find: "const target = toSafeTarget(returned, baseUrl)",
        replace: "const target = String(new URL(returned, baseUrl)) as CallbackUrl",
      },
    ],
    within: 600,
  },
  {
    name: "Only the first of several session cookies is read",
    edits: [
      {
        file: "session/cookies.ts",
        find: "new Set([...plain.slice(-triedValues)",
        replace: "new Set([...plain.slice(0, 1)",
      },
    ],
    within: 600,
  },
  {
    name: "Only the first of several cookies is read for each part of a session",
    edits: [{ file: "session/cookies.ts", find: ".slice(-triedChunks))", replace: ".slice(0, 1))" }],
    within: 1500,
  },
  {
    name: "A planted session that the host ended hides the browser's own",
    edits: [
      {
        file: "session/jwt.ts",
        find: "(asked) => asked ?? next()",
        replace: "(asked) => asked",
      },
    ],
    within: 1000,
  },
  {
    name: "Other sites can show the pages in a frame",
    edits: [
      { file: "features/page.ts", find: `"frame-ancestors": ["'none'"],`, replace: "" },
      { file: "features/page.ts", find: `"x-frame-options": "DENY",`, replace: "" },
    ],
    within: 100,
  },
]
