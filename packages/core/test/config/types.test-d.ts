import {
  Auth,
  type AuthConfig,
  AuthError,
  createActionURL,
  customFetch,
  isAuthAction,
  type JWT as JWTOfRoot,
  type ResponseInternal,
  raw,
  type Session,
  setEnvDefaults,
  skipCSRFCheck,
  type User,
} from "@latchkey/core"
import type { Adapter, AdapterUser } from "@latchkey/core/adapters"
import { CredentialsSignin } from "@latchkey/core/errors"
import { decode, encode, getToken, type JWT } from "@latchkey/core/jwt"
import type { Language, Messages } from "@latchkey/core/languages"
import Credentials from "@latchkey/core/providers/credentials"
import GitHub, { type GitHubProfile } from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"
import Passwords, { type SignUpFields, type SignUpValues } from "@latchkey/core/providers/passwords"
import type {
  AuthAction,
  JWT as JWTOfTypes,
  OAuth2Config,
  OAuthUserConfig,
  OIDCConfig,
  Provider,
  PublicProvider,
  Session as SessionOfTypes,
  User as UserOfTypes,
} from "@latchkey/core/types"
import { expectTypeOf } from "vitest"

// A host's module augmentation must apply everywhere, for each subpath that can be augmented. TypeScript follows one
// subpath for each interface. The fields are optional, because these declarations apply to all tests.
declare module "@latchkey/core" {
  interface User {
    favouriteColour?: "red" | "blue"
  }
}
declare module "@latchkey/core/types" {
  interface Session {
    deviceName?: string
  }
}
declare module "@latchkey/core/jwt" {
  interface JWT {
    role?: "admin" | "member"
  }
}
declare module "@latchkey/core/adapters" {
  interface AdapterUser {
    isBanned?: boolean
  }
}

expectTypeOf<User>().toEqualTypeOf<UserOfTypes>()
expectTypeOf<Session>().toEqualTypeOf<SessionOfTypes>()
expectTypeOf<JWT>().toEqualTypeOf<JWTOfRoot>()
expectTypeOf<User["favouriteColour"]>().toEqualTypeOf<"red" | "blue" | undefined>()
expectTypeOf<UserOfTypes["favouriteColour"]>().toEqualTypeOf<"red" | "blue" | undefined>()
expectTypeOf<Session["deviceName"]>().toEqualTypeOf<string | undefined>()
expectTypeOf<SessionOfTypes["deviceName"]>().toEqualTypeOf<string | undefined>()
expectTypeOf<JWT["role"]>().toEqualTypeOf<"admin" | "member" | undefined>()
expectTypeOf<JWTOfTypes["role"]>().toEqualTypeOf<"admin" | "member" | undefined>()
expectTypeOf<JWT["anything"]>().toEqualTypeOf<unknown>()
expectTypeOf<AdapterUser["favouriteColour"]>().toEqualTypeOf<"red" | "blue" | undefined>()
expectTypeOf<AdapterUser["isBanned"]>().toEqualTypeOf<boolean | undefined>()
expectTypeOf<NonNullable<Session["user"]>>().toEqualTypeOf<User>()

export const wrongUser: User = {
  // @ts-expect-error: not a color of the augmentation
  favouriteColour: "green",
}

/** The profile of a host's own provider. */
interface HarbourProfile {
  readonly uid: number
  readonly handle: string
  readonly mail?: string
}

export function Harbour(options: OAuthUserConfig<HarbourProfile>): OAuth2Config<HarbourProfile> {
  return {
    id: "harbour",
    name: "Harbour",
    type: "oauth",
    authorization: { url: "https://harbour.example/authorize", params: { scope: "who" } },
    token: "https://harbour.example/token",
    userinfo: "https://harbour.example/me",
    profile: ({ uid, handle, mail }, { access_token }) => {
      expectTypeOf(uid).toEqualTypeOf<number>()
      expectTypeOf(access_token).toEqualTypeOf<string | undefined>()
      return { id: String(uid), name: handle, email: mail ?? null, favouriteColour: "red" }
    },
    checks: ["pkce", "state"],
    options,
  }
}

const harbour = Harbour({ clientId: "id", clientSecret: "secret", [customFetch]: fetch })
const credentials = Credentials({
  credentials: { name: { label: "Name" }, password: { label: "Password", type: "password" } },
  authorize: ({ name, password }, request) => {
    expectTypeOf(name).toEqualTypeOf<unknown>()
    expectTypeOf(password).toEqualTypeOf<unknown>()
    expectTypeOf(request).toEqualTypeOf<Request>()
    if (name !== "ada") throw new CredentialsSignin("no such person")
    return { id: "1", name: "Ada", favouriteColour: "blue" }
  },
})

/** A host with stateless sessions. */
export const config: AuthConfig = {
  providers: [
    harbour,
    credentials,
    GitHub,
    GitHub({ clientId: "id", profile: (profile) => ({ id: String(profile.id), name: profile.login }) }),
    Google({ authorization: { params: { prompt: "consent" } } }),
  ],
  secret: ["newest", "older"],
  callbacks: {
    signIn({ user, account, profile, email, credentials }) {
      expectTypeOf(account?.provider).toEqualTypeOf<string | undefined>()
      expectTypeOf(email?.verificationRequest).toEqualTypeOf<boolean | undefined>()
      expectTypeOf(credentials).toEqualTypeOf<Record<string, unknown> | undefined>()
      return profile?.email_verified === true ? user.favouriteColour === "red" : "/unverified"
    },
    jwt({ token, user, account, trigger, session }) {
      expectTypeOf(trigger).toEqualTypeOf<"signIn" | "signUp" | "update" | undefined>()
      expectTypeOf(session).toBeAny()
      if (user?.favouriteColour === "red") token.role = "admin"
      if (account?.access_token) token["accessToken"] = account.access_token
      return trigger === "update" ? null : token
    },
    session({ session, token }) {
      expectTypeOf(token.role).toEqualTypeOf<"admin" | "member" | undefined>()
      session.user.favouriteColour = "blue"
      session.deviceName = String(token["device"])
      return session
    },
    redirect: async ({ url, baseUrl }) => (url.startsWith("/") ? `${baseUrl}${url}` : baseUrl),
  },
  events: {
    signIn: ({ user, isNewUser }) => {
      expectTypeOf(user).toExtend<User>()
      expectTypeOf(isNewUser).toEqualTypeOf<boolean | undefined>()
    },
    async signOut(message) {
      if ("token" in message) expectTypeOf(message.token).toEqualTypeOf<JWT | null>()
      else expectTypeOf(message.session?.userId).toEqualTypeOf<string | undefined>()
    },
    linkAccount: async ({ account }) => {
      expectTypeOf(account.providerAccountId).toEqualTypeOf<string>()
    },
  },
  cookies: { sessionToken: { options: { sameSite: "strict" } } },
  logger: {
    warn: (code) => {
      expectTypeOf(code).toExtend<string>()
    },
  },
  skipCSRFCheck,
}

/** A host with stored sessions. */
export const storing: AuthConfig = {
  providers: [],
  adapter: { getUser: async (id) => ({ id, email: "ada@app.test", emailVerified: null, isBanned: false }) },
  callbacks: {
    session: ({ session, user, newSession, trigger }) => {
      expectTypeOf(user.emailVerified).toEqualTypeOf<Date | null>()
      expectTypeOf(newSession).toBeAny()
      expectTypeOf(trigger).toEqualTypeOf<"update" | undefined>()
      return { ...session, user: { ...session.user, id: user.id }, deviceName: "phone" }
    },
  },
}

// Options may come from the environment or be missing.
export const lazy: Provider = ({ clientId }: { clientId?: string }) =>
  Harbour(clientId === undefined ? {} : { clientId })

export const mistakes: readonly Partial<AuthConfig>[] = [
  // @ts-expect-error: must be the symbol, not a boolean
  { skipCSRFCheck: true },
  // @ts-expect-error: must be the symbol, not a boolean
  { raw: "raw" },
  // @ts-expect-error: unknown strategy
  { session: { strategy: "cookie" } },
  // @ts-expect-error: a duration is a number of seconds
  { session: { maxAge: "30d" } },
  // @ts-expect-error: unknown page
  { pages: { register: "/register" } },
  // @ts-expect-error: unknown event
  { events: { signin: () => {} } },
  // @ts-expect-error: the session callback must return a session
  { callbacks: { session: () => null } },
  // @ts-expect-error: the signIn callback returns a boolean or a URL
  { callbacks: { signIn: () => 1 } },
  // @ts-expect-error: a token's role is one of two
  { callbacks: { jwt: ({ token }) => ({ ...token, role: "root" }) } },
  // @ts-expect-error: unknown cookie attribute
  { cookies: { state: { options: { sameSite: "sometimes" } } } },
  // @ts-expect-error: a provider is not a string
  { providers: ["github"] },
  // @ts-expect-error: unknown type of provider
  { providers: [{ id: "x", name: "X", type: "saml" }] },
]

// @ts-expect-error: providers are required
export const noProviders: AuthConfig = { secret: "secret" }
// @ts-expect-error: a plain OAuth provider has no ID token that could hold a nonce
export const nonce: OAuth2Config = { id: "x", name: "X", type: "oauth", checks: ["nonce"] }
export const nonceOfOidc: OIDCConfig = { id: "x", name: "X", type: "oidc", checks: ["nonce"] }
// @ts-expect-error: unknown option of a provider
Harbour({ clientID: "id" })
// @ts-expect-error: a profile has the provider's own fields
Harbour({ profile: ({ sub }) => ({ id: sub }) })
// @ts-expect-error: unknown field of the form
Credentials({ credentials: { name: {} }, authorize: ({ nmae }) => (nmae ? { id: "1" } : null) })
// @ts-expect-error: an adapter's user has an email address
export const adapter: Adapter = { getUser: async (id) => ({ id, emailVerified: null }) }

const request = new Request("https://app.test/auth/session")
expectTypeOf(Auth(request, { providers: [] })).toEqualTypeOf<Promise<Response>>()
expectTypeOf(Auth(request, { providers: [], raw })).toEqualTypeOf<Promise<ResponseInternal>>()
expectTypeOf(Auth(request, config)).toEqualTypeOf<Promise<Response>>()
expectTypeOf(createActionURL("signin", "https", new Headers(), process.env, config)).toEqualTypeOf<URL>()
expectTypeOf(setEnvDefaults(process.env, config, true)).toEqualTypeOf<void>()
// @ts-expect-error: unknown action
createActionURL("login", "https", new Headers(), process.env, config)
expectTypeOf(isAuthAction).guards.toEqualTypeOf<AuthAction>()

const key = { secret: "secret", salt: "salt" }
expectTypeOf(encode({ ...key, token: { role: "admin" } })).resolves.toEqualTypeOf<string>()
expectTypeOf(decode({ ...key, token: "token" })).resolves.toEqualTypeOf<JWT | null>()
expectTypeOf(getToken({ req: request, secret: "secret" })).resolves.toEqualTypeOf<JWT | null>()
expectTypeOf(getToken({ req: request, secret: "secret", raw: true })).resolves.toEqualTypeOf<string | null>()
// @ts-expect-error: the salt is required
encode({ secret: "secret", token: {} })

/** An error with a code of the host. */
export class WrongCode extends CredentialsSignin {
  override code = "wrong-code"
  override name = "WrongCode"
}
expectTypeOf<WrongCode>().toExtend<AuthError>()
expectTypeOf(new AuthError("no", new Error("why")).cause?.err).toEqualTypeOf<Error | undefined>()
expectTypeOf<GitHubProfile["login"]>().toEqualTypeOf<string>()
expectTypeOf<keyof PublicProvider>().toEqualTypeOf<"id" | "name" | "type" | "signinUrl" | "callbackUrl">()

// A language is complete: without one message of a feature, it does not compile.
expectTypeOf<Messages>().toExtend<Language["messages"]>()
expectTypeOf<Omit<Messages, "factor.code.heading">>().not.toExtend<Language["messages"]>()
expectTypeOf<Omit<Messages, "accountMail.change.subject">>().not.toExtend<Language["messages"]>()

// The fields of the sign-up page, in the type of users.
const questions = {
  company: { label: "Company", required: true },
  website: { label: "Website", type: "url" },
} satisfies SignUpFields
Passwords({ mail: { send() {} }, fields: questions })
expectTypeOf<SignUpValues<typeof questions>>().toEqualTypeOf<{
  readonly company?: string | null
  readonly website?: string | null
}>()
