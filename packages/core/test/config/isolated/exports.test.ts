import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it, vi } from "vitest"

const root = new URL("../../..", import.meta.url)

/** The names that each public subpath exports. Types are not among them; `types.test-d.ts` holds those. */
const subpaths: Readonly<Record<string, readonly string[]>> = {
  ".": [
    "Auth",
    "AuthError",
    "CredentialsSignin",
    "createActionURL",
    "customFetch",
    "defineAuth",
    "findConfiguredUrl",
    "isAuthAction",
    "logRejectedRequest",
    "raw",
    "resolveOrigin",
    "respond",
    "setEnvDefaults",
    "skipCSRFCheck",
  ],
  "./account-area": [
    "ChangeRefused",
    "accountArea",
    "deleteDueUsers",
    "listPasskeys",
    "listSignInMethods",
    "removePasskey",
    "renamePasskey",
    "unlinkAccount",
    "updateProfile",
  ],
  "./adapters": ["hashSessionTokens"],
  "./diagnosis": [
    "askProvider",
    "examine",
    "failureReasons",
    "findReasonOfType",
    "isFailureReason",
    "isGeneralReason",
    "normalizeEmailAddress",
    "tellStory",
  ],
  "./doctor": ["answerDoctor", "createProbe", "probeHeader", "readProbeAnswer"],
  "./errors": [
    "AccessDenied",
    "AccessTokenUnavailable",
    "AccountNotLinked",
    "AdapterError",
    "AuthError",
    "CallbackRouteError",
    "CodeSpent",
    "CodeWrong",
    "CredentialsSignin",
    "DuplicateConditionalUI",
    "EmailSignInError",
    "ErrorPageLoop",
    "EventError",
    "ExperimentalFeatureNotEnabled",
    "FreshnessRequired",
    "HeldExpired",
    "HeldTooLarge",
    "InvalidCallbackUrl",
    "InvalidCheck",
    "InvalidConfiguration",
    "InvalidEndpoints",
    "InvalidProvider",
    "InvalidRequest",
    "JWTSessionError",
    "LogoutTokenInvalid",
    "MissingAdapter",
    "MissingAdapterMethods",
    "MissingAuthorize",
    "MissingCSRF",
    "MissingSecret",
    "MissingWebAuthnAutocomplete",
    "OAuthAccountNotLinked",
    "OAuthCallbackError",
    "OAuthProfileParseError",
    "OAuthSignInError",
    "SecondFactorWrong",
    "SessionTokenError",
    "SignOutError",
    "TooManyRequests",
    "UnknownAction",
    "UnsupportedStrategy",
    "UntrustedHost",
    "Verification",
    "WebAuthnVerificationError",
    "findErrorReason",
  ],
  "./integration": [
    "andThen",
    "answerAt",
    "answerRequest",
    "appendCookies",
    "bindAuth",
    "bindPublicAuth",
    "createWebAuth",
    "deriveConfigs",
    "findContextAddress",
    "findOrigin",
    "forbidPlatformCaching",
    "forbidSharedCaching",
    "forbidSharedCachingFromNowOn",
    "hasUser",
    "isBelow",
    "isLocalAddress",
    "isLoopbackAddress",
    "isServicePath",
    "isSharedCacheField",
    "normalizeBasePath",
    "readFormFields",
    "readProcessEnv",
    "readSession",
    "readSignInForm",
    "readSignOutForm",
    "refusalText",
    "rememberCookies",
    "resolveSettings",
    "respondNow",
    "serializeCookie",
    "settingsOf",
    "signIn",
    "signOut",
    "toChoice",
    "toErrorAnswer",
    "toPath",
    "toPublicTarget",
    "trimPath",
    "unsetCookie",
    "updateSession",
    "warnAtStart",
    "withRememberedCookies",
  ],
  "./integration/reader": [
    "appendCookies",
    "deriveConfigs",
    "findConfiguredUrl",
    "findOrigin",
    "isBelow",
    "isLoopbackAddress",
    "isServicePath",
    "logRejectedRequest",
    "normalizeBasePath",
    "readSession",
    "serializeCookie",
    "settingsOf",
    "toPath",
    "trimPath",
  ],
  "./jwt": ["decode", "encode", "getToken"],
  "./languages": ["languages"],
  "./provider-logout": ["LogoutTokenInvalid", "providerLogout"],
  "./moving": ["createSource", "createTokenOpener"],
  "./native-apps": ["nativeApps"],
  "./passwords": [
    "PasswordFormatError",
    "PasswordRefused",
    "argon2id",
    "bcrypt",
    "betterAuth",
    "buildBreachFilter",
    "fileList",
    "firebaseScrypt",
    "importPassword",
    "lucia",
    "passportLocalMongoose",
    "pbkdf2",
    "phpass",
    "scrypt",
    "setPassword",
  ],
  "./providers": [],
  "./rate-limit": ["flexibleStore"],
  "./second-factors": [
    "beginTotp",
    "confirmTotp",
    "createRecoveryCodes",
    "importFactor",
    "importRecoveryCodes",
    "listFactors",
    "passkeyFactor",
    "recoveryCodes",
    "removeFactor",
    "secondFactors",
    "totp",
  ],
  "./sessions": [
    "endOtherSessions",
    "endSession",
    "listSessions",
    "requireFresh",
    "signOutEverywhere",
    "trackSessions",
  ],
  "./access-tokens": ["AccessTokenUnavailable", "accessTokens", "disconnectAccount", "getAccessToken"],
  "./types": [],
}

const providers = readdirSync(new URL("src/providers", root))
  .filter((file) => file.endsWith(".ts") && !file.includes(".test.") && file !== "index.ts")
  .map((file) => file.replace(".ts", ""))
  .sort()

const load = (subpath: string): Promise<Readonly<Record<string, unknown>>> =>
  import(`@latchkey/core${subpath.slice(1)}`)

describe("the package", () => {
  it("has no subpath that is not listed here", () => {
    const manifest: { readonly exports: object } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
    const listed = [...Object.keys(subpaths), "./languages/*", "./providers/*", "./package.json"]
    const reachable = Object.entries(manifest.exports).filter(([, target]) => target !== null)
    expect(reachable.map(([subpath]) => subpath).sort()).toEqual(listed.sort())
  })

  it.each(Object.entries(subpaths))("exports from %s what the contract says", async (subpath, names) => {
    expect(Object.keys(await load(subpath)).sort()).toEqual(names)
  })

  it.each(providers)("exports the provider %s once by name, and as the default", async (id) => {
    const { default: factory, ...named } = await load(`./providers/${id}`)
    expect(Object.values(named)).toEqual([factory])
    expect(factory).toBeInstanceOf(Function)
  })

  it("keeps the name of each provider's factory (`npm run generate -- providers` adds new ones)", async () => {
    const names = providers.map(async (id) => `${id}: ${Object.keys(await load(`./providers/${id}`)).sort()[0]}\n`)
    await expect((await Promise.all(names)).join("")).toMatchFileSnapshot("provider-exports.txt")
  })

  it("tells its markers apart by identity", async () => {
    const { raw, skipCSRFCheck, customFetch } = await load(".")
    expect([raw, skipCSRFCheck, customFetch].map((marker) => typeof marker)).toEqual(["symbol", "symbol", "symbol"])
    expect(new Set([raw, skipCSRFCheck, customFetch]).size).toBe(3)
  })

  it("has the same error classes at the root and among the errors", async () => {
    const [face, errors] = await Promise.all([load("."), load("./errors")])
    expect(face["AuthError"]).toBe(errors["AuthError"])
    expect(face["CredentialsSignin"]).toBe(errors["CredentialsSignin"])
  })
})

it("exports the same markers from two copies of the package", async () => {
  const first = await import("../../../src/index.js")
  vi.resetModules()
  const second = await import("../../../src/index.js")
  expect(second.Auth).not.toBe(first.Auth)
  for (const marker of ["customFetch", "raw", "skipCSRFCheck"] as const) expect(second[marker]).toBe(first[marker])
})
