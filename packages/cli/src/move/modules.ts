import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The major version of `next-auth` that a workspace uses. The packages `@auth/*` belong to 5. */
export type Edition = 4 | 5

/** The packages of Auth.js that Latchkey replaces. Its adapters stay. */
const replaced = ["next-auth", "@auth/core", "@auth/express", "@auth/sveltekit", "@auth/solid-start", "@auth/qwik"]

export const isReplaced = (packageName: string): boolean => replaced.includes(packageName)

/** Whether a text may name a package of Auth.js. Files without are not parsed. */
export function mayNameOldPackage(text: string): boolean {
  return text.includes("next-auth") || text.includes("@auth/")
}

/** `@auth/prisma-adapter` and its like, which stay. */
export const isAdapter = (specifier: string): boolean => /^@(?:next-)?auth\/[\w-]+-adapter(?:\/|$)/.test(specifier)

const nextModules: Readonly<Record<Edition, Readonly<Record<string, string>>>> = {
  4: {
    "": "@latchkey/next/v4",
    "/core/types": "@latchkey/next/v4",
    "/next": "@latchkey/next/v4",
    "/jwt": "@latchkey/next/v4",
    "/middleware": "@latchkey/next/v4/middleware",
    "/providers/credentials": "@latchkey/next/v4/credentials",
    "/react": "@latchkey/react/v4",
  },
  5: {
    "": "@latchkey/next",
    "/jwt": "@latchkey/core/jwt",
    "/react": "@latchkey/react",
    "/webauthn": "@latchkey/react/webauthn",
  },
}

/** The subpaths that all packages of Auth.js have. */
const sharedModules: Readonly<Record<string, string>> = {
  "/adapters": "@latchkey/core/adapters",
  "/errors": "@latchkey/core/errors",
  "/jwt": "@latchkey/core/jwt",
  "/providers": "@latchkey/core/providers",
  "/providers/index": "@latchkey/core/providers",
  // Only the types of providers.
  "/providers/oauth": "@latchkey/core/providers",
  "/types": "@latchkey/core/types",
}

/** The subpaths of packages for a framework that ours have too. */
const frameworkModules: Readonly<Record<string, readonly string[]>> = {
  "@auth/express": [""],
  "@auth/sveltekit": ["", "/client", "/components"],
  "@auth/solid-start": ["", "/client"],
  "@auth/qwik": ["", "/vite"],
}

/** The module that replaces one of Auth.js: undefined for any other module, null if none does. */
export function findReplacement(specifier: string, edition: Edition): string | null | undefined {
  const name = replaced.find((each) => specifier === each || specifier.startsWith(`${each}/`))
  if (name === undefined) return undefined
  const subpath = specifier.slice(name.length).replace(/\.js$/, "")
  const own = name === "next-auth" ? nextModules[edition][subpath] : findOwn(name, subpath)
  if (own !== undefined) return own
  if (subpath === "/package.json") return `${toPackage(name)}/package.json`
  const shared = sharedModules[subpath]
  if (shared !== undefined) return shared
  return /^\/providers\/[\w-]+$/.test(subpath) ? findProvider(subpath) : null
}

function findOwn(name: string, subpath: string): string | undefined {
  if (name === "@auth/core") return subpath === "" ? "@latchkey/core" : undefined
  return frameworkModules[name]?.includes(subpath) ? `${toPackage(name)}${subpath}` : undefined
}

function toPackage(name: string): string {
  return name === "next-auth" ? "@latchkey/next" : name.replace("@auth/", "@latchkey/")
}

/** Null for a provider that Latchkey does not have. */
function findProvider(subpath: string): string | null {
  const core = dirname(createRequire(import.meta.url).resolve("@latchkey/core/package.json"))
  const files = [join(core, "dist", `${subpath}.js`), join(core, "src", `${subpath}.ts`)]
  return files.some((file) => existsSync(file)) ? `@latchkey/core${subpath}` : null
}

/**
 * The module that an app augments in place of one of Auth.js. TypeScript follows one name for each interface, so all of them
 * use the same.
 */
export function findAugmented(specifier: string, edition: Edition): string | null | undefined {
  const module = findReplacement(specifier, edition)
  if (typeof module !== "string" || module.startsWith("@latchkey/core/adapters")) return module
  if (!specifier.startsWith("next-auth")) return "@latchkey/core"
  return edition === 4 ? "@latchkey/next/v4" : "@latchkey/next"
}

/** Types with another name. They keep their name in the file that imports them. */
export const renamedTypes: Readonly<Record<string, string>> = {
  CommonProviderOptions: "CommonProvider",
  OAuthProviderButtonStyles: "ProviderStyle",
  AuthorizationEndpointHandler: "AuthorizationEndpoint",
  TokenEndpointHandler: "TokenEndpoint",
  UserinfoEndpointHandler: "UserinfoEndpoint",
  EmailProviderSendVerificationRequestParams: "VerificationRequestParams",
  Authenticator: "AdapterAuthenticator",
}

/** Types that no type replaces. */
export const missingTypes: ReadonlySet<string> = new Set([
  "OAuthChecks",
  "SignInError",
  "GetSessionResult",
  "ProviderId",
  "BuiltInProviders",
  "BuiltInProviderType",
  "OAuthProviderId",
  "SignInPageErrorParam",
  "ErrorPageParam",
  "LiteralUnion",
  "RedirectableProviderType",
])

/** The package of a module specifier. */
export function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
}
