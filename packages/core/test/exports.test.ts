import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const root = new URL("..", import.meta.url)

/** The names that each public subpath exports. Types are not among them; `types.test-d.ts` holds those. */
const subpaths: Readonly<Record<string, readonly string[]>> = {
  ".": [
    "Auth",
    "AuthError",
    "CredentialsSignin",
    "createActionURL",
    "customFetch",
    "isAuthAction",
    "raw",
    "setEnvDefaults",
    "skipCSRFCheck",
  ],
  "./adapters": [],
  "./errors": [
    "AccessDenied",
    "AccountNotLinked",
    "AdapterError",
    "AuthError",
    "CallbackRouteError",
    "CredentialsSignin",
    "DuplicateConditionalUI",
    "EmailSignInError",
    "ErrorPageLoop",
    "EventError",
    "ExperimentalFeatureNotEnabled",
    "InvalidCallbackUrl",
    "InvalidCheck",
    "InvalidConfiguration",
    "InvalidEndpoints",
    "InvalidProvider",
    "InvalidRequest",
    "JWTSessionError",
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
    "SessionTokenError",
    "SignOutError",
    "UnknownAction",
    "UnsupportedStrategy",
    "UntrustedHost",
    "Verification",
    "WebAuthnVerificationError",
  ],
  "./jwt": ["decode", "encode", "getToken"],
  "./providers": [
    "Apple",
    "Auth0",
    "AzureAD",
    "Credentials",
    "Email",
    "GitHub",
    "Google",
    "Keycloak",
    "MicrosoftEntraID",
    "Nodemailer",
    "OpenIDConnect",
  ],
  "./types": [],
}

/** The one name that each provider's module exports, also as its default. */
const providers: Readonly<Record<string, string>> = {
  apple: "Apple",
  auth0: "Auth0",
  "azure-ad": "AzureAD",
  credentials: "Credentials",
  email: "Email",
  github: "GitHub",
  google: "Google",
  keycloak: "Keycloak",
  "microsoft-entra-id": "MicrosoftEntraID",
  nodemailer: "Nodemailer",
  oidc: "OpenIDConnect",
}

const load = (subpath: string): Promise<Readonly<Record<string, unknown>>> =>
  import(`@latchkey/core${subpath.slice(1)}`)

describe("the package", () => {
  it("has no subpath that is not listed here", () => {
    const manifest: { readonly exports: object } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
    const listed = [...Object.keys(subpaths), "./providers/*", "./package.json"]
    expect(Object.keys(manifest.exports).sort()).toEqual(listed.sort())
  })

  it("has no provider that is not listed here", () => {
    const files = readdirSync(new URL("src/providers", root))
    const modules = files.filter((file) => !file.includes(".test.") && file !== "index.ts")
    expect(modules.sort()).toEqual(Object.keys(providers).map((id) => `${id}.ts`))
  })

  it.each(Object.entries(subpaths))("exports from %s what the contract says", async (subpath, names) => {
    expect(Object.keys(await load(subpath)).sort()).toEqual(names)
  })

  it.each(Object.entries(providers))("exports the provider %s by its name and as the default", async (id, name) => {
    const module = await load(`./providers/${id}`)
    expect(Object.keys(module).sort()).toEqual([name, "default"])
    expect(module["default"]).toBe(module[name])
    expect(module[name]).toBeInstanceOf(Function)
    expect((await load("./providers"))[name]).toBe(module[name])
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
