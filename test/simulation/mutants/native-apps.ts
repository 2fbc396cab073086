import type { Mutant } from "../mutant.js"

const authorize = "features/native-apps/authorize.ts"
const code = "features/native-apps/code.ts"
const token = "features/native-apps/session-token.ts"

/** What the worlds have in which these are looked for. */
const setting = { hasNativeApps: true, isAdapterPublished: false }

/** Native apps: the page that asks, the code, and the token. */
export const mutants: readonly Mutant[] = [
  {
    name: "The verifier of a native app is not compared",
    edits: [
      {
        file: code,
        find: "return isEqualInConstantTime(challenge, await toCodeChallenge(sent.verifier))",
        replace: "return isEqualInConstantTime(challenge, challenge)",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "Another app exchanges a code",
    edits: [
      {
        file: code,
        find: "if (clientId !== sent.clientId || redirectUri !== sent.redirectUri) return false",
        replace: "if (redirectUri !== sent.redirectUri) return false",
      },
    ],
    setting,
    within: 1500,
  },
  {
    name: "A code of a native app is exchanged with another address",
    edits: [
      {
        file: code,
        find: "if (clientId !== sent.clientId || redirectUri !== sent.redirectUri) return false",
        replace: "if (clientId !== sent.clientId) return false",
      },
    ],
    setting,
    within: 1500,
  },
  {
    name: "A code of a native app works again",
    edits: [
      {
        file: code,
        find: "const value = (await store?.takeTemporary(id)) ?? null",
        replace:
          "const value = (await store?.takeTemporary(id)) ?? null\n  if (value !== null) await store?.keepTemporary({ id, value, expires: new Date(systemClock() + codeSeconds * 1000) })",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A code of a native app works for an hour",
    edits: [{ file: code, find: "const codeSeconds = 60\n", replace: "const codeSeconds = 3600\n" }],
    setting,
    within: 250,
  },
  {
    name: "The answer about an app is for whoever is signed in by then",
    edits: [
      {
        file: authorize,
        find: "const isSame = userId === (await findUserId(request, context))",
        replace: "const isSame = userId !== ''",
      },
      {
        file: code,
        find: "!== binding.userId) continue",
        replace: "=== '') continue",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "Any site answers that an app may be signed in",
    edits: [
      {
        file: "features/native-apps/native-apps.ts",
        find: `POST: guarded(limited("signIn", answerConsent(clients)))`,
        replace: `POST: limited("signIn", answerConsent(clients))`,
      },
      {
        file: authorize,
        find: "const isSame = userId === (await findUserId(request, context))",
        replace: "const isSame = userId !== ''",
      },
      {
        file: code,
        find: "!== binding.userId) continue",
        replace: "=== '') continue",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A script gets the code of a native app",
    edits: [
      {
        file: authorize,
        find: "if (!isOpened || !isPage(request) || wantsRedirectAsJson(request)) {",
        replace: "if (mode === '') {",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "The page about an app lets other sites frame it",
    edits: [
      {
        file: authorize,
        find: "return { ...page, headers: { ...page.headers, ...leadTo(redirectUri, page), ...ownWindow } }",
        replace:
          "return { ...page, headers: { ...ownWindow, 'content-type': 'text/html', 'content-security-policy': leadTo(redirectUri, page)['content-security-policy']?.replace(/frame-ancestors [^;]*;?/, '') ?? '' } }",
      },
      {
        file: authorize,
        find: 'const isOpened = (mode === null || mode === "navigate") && (target === null || target === "document")',
        replace: "const isOpened = (mode === null || mode === \"navigate\") && target !== ''",
      },
    ],
    setting,
    within: 250,
  },
  {
    name: "A session that has ended is copied for an app",
    edits: [
      {
        file: code,
        find: "  if (copied.length === 0 || (await sessions.findUser(from))) return copied\n",
        replace: "  if (copied.length === 0 || from) return copied\n",
      },
    ],
    setting: { ...setting, isTracked: true },
    within: 250,
  },
  {
    name: "A token of a native app works as a cookie, and a cookie beside it counts",
    edits: [
      { file: token, find: `  headers.delete("cookie")\n`, replace: "" },
      { file: token, find: "if (opened) headers.set(", replace: `if (opened && !headers.has("cookie")) headers.set(` },
    ],
    setting: { ...setting, isSessionLarge: false },
    within: 250,
  },
  {
    name: "A cookie works as the token of a native app",
    edits: [
      {
        file: token,
        find: "  const { value, clientId } = claims ?? {}\n",
        replace:
          "  const { value, clientId } = claims ?? { value: token.slice(appTokenPrefix.length), clientId: [...clients.keys()][0] }\n",
      },
    ],
    setting: { ...setting, isSessionLarge: false },
    within: 250,
  },
  {
    name: "The session of an app counts as a new sign-in",
    edits: [
      {
        file: "session/records.ts",
        find: "const proven = source ? [source] : own",
        replace: "const proven = source ? [] : own",
      },
    ],
    setting: { ...setting, isTracked: true },
    within: 250,
  },
]
