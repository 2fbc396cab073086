import type { User } from "@latchkey/types"
import type { CredentialsProof } from "../../account/proof.js"
import { randomUUID } from "../../crypto/random.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { CallbackRouteError, CredentialsSignin } from "../../errors/errors.js"
import { cleanError } from "../../host/redact.js"
import { type AuthRequest, toHostRequest } from "../../http/request.js"
import { redirect } from "../../http/response.js"
import type { Limits } from "../../rate-limit/limiter.js"
import type { CredentialsConfig } from "../../types/providers.js"
import type { MethodDeps, Proven, SignInSteps } from "../method.js"

/** Fields that belong to the form, not to what the visitor typed. */
const formFields: ReadonlySet<string> = new Set(["csrfToken", "callbackUrl", "json"])

/** A form that the host's `authorize` callback checks. */
export function credentialsSteps({ limits, actionUrl }: MethodDeps): SignInSteps<CredentialsConfig, CredentialsProof> {
  return {
    // The form is on the sign-in page and posts to the callback.
    begin: async (request) => redirect(actionUrl(request, "signin")),
    prove: (request, provider) => prove(request, provider, limits),
    resolveUser: async ({ user, account }) => ({
      user,
      account,
      isNewUser: false,
      isSignedInAlready: false,
      isUserFromHost: true,
    }),
  }
}

async function prove(
  request: AuthRequest,
  provider: CredentialsConfig,
  limits: Limits,
): Promise<Proven<CredentialsProof>> {
  const credentials = readCredentials(request)
  const attempt = await limits.tryPassword({ credentials, provider }, request)
  const authorized = await authorize(request, provider, credentials)
  const id = toUserId(authorized, provider)
  await attempt.succeed()
  const user = { ...authorized, id }
  const account = { providerAccountId: id, type: "credentials", provider: provider.id } as const
  return {
    proof: { candidate: user, user, account, credentials, knownUserId: id, dependsOnSession: false },
    callbackUrl: undefined,
    cookies: [],
  }
}

function readCredentials(request: AuthRequest): Record<string, unknown> {
  const typed = Object.entries(request.body ?? {}).filter(([name]) => !formFields.has(name))
  return Object.fromEntries(typed)
}

/** @throws CredentialsSignin when the host says no; CallbackRouteError when its code fails */
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
  throw new CredentialsSignin("authorize returned nobody", { provider: provider.id })
}

/** Without an id the person is nobody that a later request could know again; such a session gets one of its own. */
function toUserId(user: User, provider: CredentialsConfig): string {
  const id: unknown = typeof user === "object" && !Array.isArray(user) ? user.id : null
  if (id === undefined) return randomUUID()
  if ((typeof id === "string" && id !== "") || typeof id === "number") return String(id)
  const mistake = "authorize returned something that is not a user with an id"
  throw new CallbackRouteError(mistake, { provider: provider.id, concerns: "config" })
}
