import { AuthError, toError } from "../../errors/auth-error.js"
import { AccessDenied, EmailSignInError, InvalidRequest } from "../../errors/errors.js"
import { normalizeEmailAddress } from "../../host/email-address.js"
import { toHostRequest } from "../../http/body.js"
import type { AuthRequest } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import { defaultMaxAgeSeconds } from "../../mail/deliver.js"
import { mailSecret } from "../../mail/mailed-secret.js"
import { sendInTime } from "../../mail/send.js"
import type { ResponseCookie } from "../../types/http.js"
import type { EmailConfig } from "../../types/providers.js"
import { type EmailDeps, findAddressOwner, toMailVisit, toPurpose } from "./resolve-user.js"

/**
 * Sends a link, and a code with it, to the address in the form.
 * @throws EmailSignInError when the address is invalid or the mail cannot be sent
 * @throws AccessDenied when the `signIn` callback refuses
 */
export async function requestLink(request: AuthRequest, provider: EmailConfig, deps: EmailDeps): Promise<Reply> {
  const identifier = readAddress(request, provider)
  const redirectUrl = await askPermission(identifier, provider, deps)
  const { url: callbackUrl, cookies } = await deps.callbackUrls.resolve(request)
  if (redirectUrl !== null) {
    return redirect(await deps.callbackUrls.check(redirectUrl, request.url.origin, request), { cookies })
  }
  const flowCookies = await sendLink([identifier, callbackUrl], request, provider, deps)
  const page = deps.actionUrl(request, "verify-request")
  const query = { provider: provider.id, type: provider.type }
  return redirect(withQuery(page, query), { cookies: [...cookies, ...flowCookies] })
}

function readAddress(request: AuthRequest, provider: EmailConfig): string {
  const given = request.body?.["email"]
  if (given !== undefined && typeof given !== "string") throw new InvalidRequest("email must be text")
  if (!given) throw new EmailSignInError("The form has no email")
  const { id, normalizeIdentifier = normalizeEmailAddress } = provider
  try {
    // Functions in JavaScript may return a promise, or nothing: every visitor would have the same address.
    const address: unknown = normalizeIdentifier(given)
    if (typeof address === "string" && address !== "") return address
    void Promise.resolve(address).catch(() => {})
  } catch (error) {
    if (error instanceof AuthError) throw error
  }
  throw new EmailSignInError("normalizeIdentifier gave no address", { provider: id })
}

/** Every failure of the callback is an AccessDenied, so that a stranger learns nothing about the address. */
async function askPermission(identifier: string, provider: EmailConfig, deps: EmailDeps): Promise<string | null> {
  const { user, account } = await findAddressOwner(identifier, provider, deps.store)
  try {
    return await deps.permission.ask({ user, account, email: { verificationRequest: true } })
  } catch (error) {
    throw error instanceof AccessDenied ? error : new AccessDenied(toError(error))
  }
}

/** @returns the cookies that keep the flow. */
function sendLink(
  [identifier, callbackUrl]: readonly [string, string],
  request: AuthRequest,
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<readonly ResponseCookie[]> {
  const { maxAge = defaultMaxAgeSeconds, code: hasCode = false, opening } = provider
  return mailSecret(
    {
      purpose: toPurpose(provider, deps),
      address: identifier,
      state: "",
      url: withQuery(deps.actionUrl(request, `callback/${provider.id}`), { callbackUrl }),
      target: callbackUrl,
      maxAgeSeconds: maxAge,
      hasCode,
      isKept: hasCode || opening !== "get",
      createToken: () => provider.generateVerificationToken?.(),
      async send({ url, token, code, expires }) {
        const { theme } = deps.config
        const locale = await deps.findLocale(request)
        const params = {
          ...{ identifier, token, expires, url, provider, theme, request: toHostRequest(request, { ...request.body }) },
          ...(code !== undefined && { code }),
          ...(locale && { locale }),
        }
        const access = ["apiKey", "server"].map((name): unknown => Reflect.get(provider, name))
        const secrets = [identifier, token, url, code, params.request, access]
        await sendInTime(() => provider.sendVerificationRequest(params), secrets, provider.id)
      },
    },
    toMailVisit(request, deps),
  )
}
