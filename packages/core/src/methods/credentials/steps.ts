import type { User } from "@latchkey/types"
import type { CredentialsProof } from "../../account/proof.js"
import { randomUUID } from "../../crypto/random.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { CallbackRouteError, CredentialsSignin } from "../../errors/errors.js"
import { cleanError } from "../../host/redact.js"
import { type AuthRequest, toHostRequest } from "../../http/request.js"
import { redirect } from "../../http/response.js"
import type { CredentialsConfig } from "../../types/providers.js"
import type { MethodDeps, SignInSteps } from "../method.js"

/** A form that the host's `authorize` callback checks. */
export function credentialsSteps({ limits, actionUrl }: MethodDeps): SignInSteps<CredentialsConfig, CredentialsProof> {
  return {
    // The form is on the sign-in page and posts to the callback.
    begin: async (request) => redirect(actionUrl(request, "signin")),

    async prove(request, provider) {
      const credentials = readCredentials(request)
      const attempt = await limits.tryPassword({ credentials, provider }, request)
      const authorized = await authorize(request, provider, credentials)
      const id = toUserId(authorized, provider)
      await attempt.succeed()
      const user = { ...authorized, id }
      const account = { providerAccountId: id, type: "credentials", provider: provider.id } as const
      const proof = { candidate: user, user, account, credentials, knownUserId: id, dependsOnSession: false }
      return { proof, callbackUrl: undefined, cookies: [] }
    },

    resolveUser: async ({ user }) => ({ user, isNewUser: false, isSignedInAlready: false, isUserFromHost: true }),
  }
}

/** Fields that every form sends. */
const formFields: ReadonlySet<string> = new Set(["csrfToken", "callbackUrl", "json"])

function readCredentials(request: AuthRequest): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request.body ?? {}).filter(([name]) => !formFields.has(name)))
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
  try {
    const user = await provider.authorize?.({ ...credentials }, toHostRequest(request, credentials))
    if (user) return user
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = cleanError(toError(error), Object.values(credentials))
    throw new CallbackRouteError("authorize failed", { err, provider: provider.id })
  }
  throw new CredentialsSignin("authorize returned no user", { provider: provider.id })
}

/** A user without an id gets a random one: no later sign-in can be matched with it. */
function toUserId(user: User, provider: CredentialsConfig): string {
  const id: unknown = typeof user === "object" && !Array.isArray(user) ? user.id : null
  if (id === undefined) return randomUUID()
  if ((typeof id === "string" && id !== "") || typeof id === "number") return String(id)
  throw new CallbackRouteError("authorize must return a user whose id is text or a number", {
    provider: provider.id,
    concerns: "config",
  })
}
