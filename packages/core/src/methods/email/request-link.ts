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
  let address: unknown
  try {
    address = normalizeIdentifier(given)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new EmailSignInError("normalizeIdentifier refused the address", { provider: id })
  }
  // Functions in JavaScript may return a promise, or nothing: every visitor would have the same address.
  if (typeof address === "string" && address !== "") return address
  throw new EmailSignInError("normalizeIdentifier must return an address as text", { provider: id, concerns: "config" })
}

/** What careless code makes of a missing value or an object: each link would have the same token. */
const constantToken = /^(?:|NaN|true|false|undefined|null|\[object .*\])$/

/** @throws EmailSignInError for a token that is not random */
async function createToken({ id, generateVerificationToken }: EmailConfig): Promise<string | undefined> {
  const token = (await generateVerificationToken?.()) ?? undefined
  if (token === undefined || !constantToken.test(String(token))) return token
  const message = "generateVerificationToken must return text that no one can guess"
  throw new EmailSignInError(message, { provider: id, concerns: "config" })
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
      createToken: () => createToken(provider),
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
