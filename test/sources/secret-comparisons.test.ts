import { globSync, readFileSync } from "node:fs"
import { join, sep } from "node:path"
import { describe, expect, it } from "vitest"
import { isEqual } from "../../packages/core/src/crypto/web.js"
import { findSecretComparisons } from "./secret-comparisons.js"

const root = join(import.meta.dirname, "..", "..")
const sources = globSync(["packages/{core,node,express}/src/**/*.{ts,tsx}", "apps/demo/src/**/*.{ts,tsx}"], {
  cwd: root,
  exclude: ["**/*.test.ts", "**/*.test.tsx"],
}).map((path) => path.split(sep).join("/"))

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Reviewed comparisons, and why their timing reveals nothing. Each of them must still exist. */
const harmless: Readonly<Record<string, string>> = {
  "apps/demo/src/settings/data-folder.ts: error.code === code": "codes of the file system",
  'packages/core/src/features/form-values.ts: claims?.["token"] === token':
    "CSRF tokens from two cookies of one browser, neither of which its sender can choose",
  "packages/core/src/actions/reference.ts: shown === code": "codes of errors, which are shown",
  "packages/core/src/adapters/hashed-sessions.ts: found?.session?.sessionToken === token":
    "the store has found the row by this very text, so that there is nothing left to be guessed",
  "packages/core/src/adapters/hashed-sessions.ts: token.startsWith(mark)": "how stored hashes begin, which is public",
  "packages/core/src/checks/challenge.ts: challenge === returned.challenge":
    "challenges that the asking browser was given, and sends along, sealed, in its own cookies",
  "packages/core/src/config/validate.ts: jwt.secrets === secrets": "lists of the host's, by identity",
  "packages/core/src/oauth/jws.ts: key.kid === keyId": "ids of public keys",
  "packages/core/src/features/languages/languages.ts: Intl.getCanonicalLocales(tag)[0] === tag": "tags of languages",
  "packages/core/src/pages/person-forms.tsx: form !== pair.password": "forms of the sign-in page, by identity",
  "packages/core/src/methods/password/sign-in-form.tsx: failed === password": "forms of the sign-in page, by identity",
  "packages/core/src/methods/password/reset.ts: current?.hash !== hash":
    "the hash that this request stored, and the one that the store has now",
  "packages/core/src/methods/password/sign-up.ts: (await store.getPassword(id))?.hash === hash":
    "the hash that the store has, and the one that this request stored",
  "packages/core/src/http/app-token.ts: token.startsWith(appTokenPrefix)": "how tokens of ours begin, which is public",
  "packages/core/src/features/tracked-sessions/track-sessions.ts: token === claims":
    "claims that the service made, by identity",
  "packages/core/src/oauth/jws.ts: kid === findKeyId(token)": "ids of keys, which the provider publishes",
  "packages/core/src/methods/password/steps.ts: current?.hash !== stored.hash":
    "hashes of passwords that the service read from its own store, both of them",
  "packages/core/src/methods/password/stored.ts: current.hash !== from.hash":
    "hashes of passwords that the service read from its own store, both of them",
  "packages/core/src/methods/password/hashing.ts: findKeyId(stored) !== newest?.id": "ids of peppers, which are stored",
  "packages/core/src/methods/password/hashing.ts: id === keyId": "ids of peppers, which are stored",
  "packages/core/src/session/database.ts: found?.session?.sessionToken !== token":
    "the store has found the row by this very token, so that there is nothing left to be guessed",
  "packages/core/src/session/tracked-rows.ts: found.session?.sessionToken === token":
    "the store has found the row by this very token, so that there is nothing left to be guessed",
  "packages/core/src/features/access-tokens/account-vault.ts: last?.token !== from":
    "refresh tokens that the service read from its own store, both of them",
  "packages/core/src/features/access-tokens/account-vault.ts: value !== noToken":
    "the mark for an account without a token, which is public",
  "packages/core/src/features/access-tokens/cookie-place.ts: current.tokens.refresh_token !== from":
    "refresh tokens that the service sealed in its own cookie, both of them",
  "packages/core/src/features/access-tokens/place.ts: last.tokens.refresh_token === from":
    "refresh tokens that the service read from its own store, both of them",
  "packages/core/src/features/access-tokens/keeper.ts: refresh_token !== from":
    "refresh tokens that the service read from its own store, both of them",
  "packages/core/src/features/access-tokens/keeper.ts: access_token !== kept.access_token":
    "access tokens that the service read from its own store, both of them",
  "packages/core/src/features/access-tokens/keeper.ts: first.access_token !== not":
    "the app's own code names the token that an API refused",
  "packages/core/src/features/access-tokens/keeper.ts: tokens.access_token === not":
    "the app's own code names the token that an API refused",
  "packages/core/src/features/second-factors/routes.ts: code === id": "names of kinds of factors",
  "packages/core/src/features/second-factors/enrollment-pages.ts: error === wrongCode": "names of errors",
  'packages/core/src/features/second-factors/stylesheet.ts: url.searchParams.get("v") === codePageScriptVersion':
    "the version of a public script",
  "packages/core/src/methods/webauthn/user.ts: hex.startsWith(hashForm)": "the form of a handle, which is public",
  'packages/core/src/methods/webauthn/register.ts: statement.get("alg") !== keyAlgorithm': "names of algorithms",
}

describe("comparisons with secrets", () => {
  it.each([
    "if (sent === token) accept()",
    "return mac != expectedMac",
    "const isRight = answer.state === flow.state",
    'found.sessionToken !== cookies["session"]',
    "given.nonce == nonce()",
    "hashed.startsWith(tokenHash)",
    "Object.is(csrfToken, sent)",
  ])("ENUM-04: are detected: %s", (source) => {
    expect(findSecretComparisons("planted.ts", source)).toHaveLength(1)
  })

  it.each([
    "if (token === undefined) return",
    'if (typeof state !== "string") refuse()',
    "if (tag.length === 16) go()",
    'if (code === "credentials") show()',
    "isEqualInConstantTime(token, sent)",
    "if (statement === other) go()",
  ])("ENUM-04: are not reported: %s", (source) => {
    expect(findSecretComparisons("planted.ts", source)).toEqual([])
  })

  it("ENUM-04: take constant time, except for reviewed ones", () => {
    expect(sources.length).toBeGreaterThan(200)
    const found = sources.flatMap((path) =>
      findSecretComparisons(path, read(path)).map((comparison) => `${path}: ${comparison}`),
    )
    expect(found.sort()).toEqual(Object.keys(harmless).sort())
  })

  it.each([
    ["packages/core/src/checks/csrf.ts", "the pair's MAC and the form's token", 2],
    ["packages/core/src/checks/oauth-flow.ts", "the state and the secret of the browser", 2],
    ["packages/core/src/oauth/id-token.ts", "the nonce", 1],
  ])("ENUM-04: %s compares %s in constant time", (path, _, times) => {
    expect(read(path).match(/isEqualInConstantTime\(/g)).toHaveLength(times)
  })

  it("ENUM-04: of token tags use the platform's function on Node", () => {
    const source = read("packages/core/src/crypto/node-crypto.ts")
    expect(source.match(/timingSafeEqual\(/g)?.length).toBeGreaterThanOrEqual(2)
    expect(read("packages/core/src/crypto/web.ts").match(/isEqual\(await toTag/g)).toHaveLength(1)
  })

  it.each([0, 1, 15, 31])(
    "ENUM-04: read every byte of both sides on other platforms, with a difference at byte %i",
    (at) => {
      const reads = { count: 0 }
      const watched = (bytes: Uint8Array<ArrayBuffer>) =>
        new Proxy(bytes, {
          get(target, name) {
            if (typeof name === "string" && /^\d+$/.test(name)) reads.count += 1
            return Reflect.get(target, name, target)
          },
        })
      const [a, b] = [new Uint8Array(32), new Uint8Array(32)]
      b[at] = 1
      expect([isEqual(watched(a), watched(b)), reads.count]).toEqual([false, 64])
      expect(isEqual(a, a.slice())).toBe(true)
    },
  )
})
