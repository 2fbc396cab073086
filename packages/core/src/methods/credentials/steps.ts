import type { User } from "@latchkey/types"
import type { CredentialsProof } from "../../account/proof.js"
import { randomUUID } from "../../crypto/random.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { CallbackRouteError, CredentialsSignin, InvalidRequest } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { cleanError } from "../../host/redact.js"
import { toHostRequest } from "../../http/body.js"
import type { AuthRequest } from "../../http/request.js"
import { redirect } from "../../http/response.js"
import { toIdText } from "../../runtime/id.js"
import { withFields } from "../../runtime/instance.js"
import { isPromiseLike } from "../../runtime/promise.js"
import type { CredentialsConfig } from "../../types/providers.js"
import type { MethodDeps } from "../method.js"
import type { SignInSteps } from "../steps.js"

/** A form that the host's `authorize` callback checks. */
export function credentialsSteps({ limits, actionUrl }: MethodDeps): SignInSteps<CredentialsConfig, CredentialsProof> {
  return {
    // The form is on the sign-in page and posts to the callback.
    begin: async (request) => redirect(actionUrl(request, "signin")),

    async prove(request, provider) {
      const credentials = readCredentials(request)
      const counting = limits.tryPassword({ credentials, provider }, request)
      const attempt = isPromiseLike(counting) ? await counting : counting
      const authorized = await authorize(request, provider, credentials)
      const id = toUserId(authorized, provider)
      const noting = attempt.succeed()
      if (isPromiseLike(noting)) await noting
      const isBlank = typeof authorized.email === "string" && authorized.email.trim() === ""
      const user = withFields(authorized, { id, ...(isBlank && { email: null }) })
      const account = { providerAccountId: id, type: "credentials", provider: provider.id } as const
      const proof = { candidate: user, user, account, credentials, knownUserId: id, dependsOnSession: false }
      return { proof: { ...proof, achieved: ["pwd"] }, callbackUrl: undefined, cookies: [] }
    },

    resolveUser: ({ user }) => ({ user, isNewUser: false, isSignedInAlready: false, isUserFromHost: true }),
  }
}

/** Fields that every form sends. */
const formFields: ReadonlySet<string> = new Set(["csrfToken", "callbackUrl", "json"])

/**
 * The submitted fields as text, as a form sends them. A query that is built from anything else could match other
 * accounts than the one whose attempts are counted (CWE-943): operators in objects, and `0` or `false` in SQL.
 * @throws InvalidRequest for an object or a list
 */
function readCredentials(request: AuthRequest): Record<string, string> {
  const credentials: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.body ?? {})) {
    if (formFields.has(name) || value === null) continue
    if (typeof value === "object") {
      throw new InvalidRequest("Each field of the credentials must be text, not an object or a list")
    }
    credentials[name] = String(value)
  }
  return credentials
}

/**
 * @throws CredentialsSignin when `authorize` returns null
 * @throws CallbackRouteError when it fails
 */
async function authorize(
  request: AuthRequest,
  provider: CredentialsConfig,
  credentials: Record<string, unknown>,
): Promise<User> {
  // as: a function that cannot read it gets none.
  const own = canReadRequest(provider.authorize) ? toHostRequest(request, credentials) : (undefined as never)
  try {
    const user = await provider.authorize?.({ ...credentials }, own)
    if (user) return user
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = cleanError(toError(error), [Object.values(credentials), own])
    const reason = because("callback-threw", { callback: "authorize" })
    throw new CallbackRouteError("authorize failed", { err, provider: provider.id, ...reason })
  }
  throw new CredentialsSignin("authorize returned no user", { provider: provider.id })
}

/** Beginnings of functions with one parameter, which may be destructured but has no default, or none. Without blanks. */
const arrowOfOne = /^(?:async)?(?:\((?:[\w$]+|\{[\w$,:]*\})?,?\)|[\w$]+)=>/
const functionOfOne = /^[\w$]+\((?:[\w$]+|\{[\w$,:]*\})?,?\)\{/
const seesArguments = /\barguments\b|\beval\b|\[native code\]/

/**
 * Whether a function may read the request that `authorize` is called with. Those of most apps have one parameter, and creating
 * the request would take a fifth of the time of a sign-in. Only a text that leaves no other way counts: arrow functions have
 * no `arguments` of their own, and other functions must not name them.
 * @internal Exported for its tests.
 */
export function canReadRequest(authorize: CredentialsConfig["authorize"]): boolean {
  if (authorize === undefined) return false
  // Not by a method of its own, which may return another text.
  const text = Function.prototype.toString.call(authorize)
  const start = text.slice(0, maxStartLength).replace(/\s+/g, "")
  return !(arrowOfOne.test(start) || (functionOfOne.test(start) && !seesArguments.test(text)))
}

const maxStartLength = 300

/** A user without an id gets a random one: no later sign-in can be matched with it. */
function toUserId(user: User, provider: CredentialsConfig): string {
  const id: unknown = typeof user === "object" && !Array.isArray(user) ? user.id : null
  const text = id === undefined ? randomUUID() : toIdText(id)
  if (text !== "") return text
  const kinds = "text, a number, a bigint, or an object that converts itself to text, such as an ObjectId"
  throw new CallbackRouteError(`authorize must return a user whose id is ${kinds}`, {
    provider: provider.id,
    concerns: "config",
  })
}
