import { createMailIds, type MailFlow, voidCode } from "../../checks/mail-flow.js"
import { randomHex } from "../../crypto/random.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { AccessDenied, EmailSignInError, InvalidRequest } from "../../errors/errors.js"
import { cleanError } from "../../host/redact.js"
import { toHostRequest } from "../../http/body.js"
import type { AuthRequest } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import { defaultMaxAgeSeconds } from "../../mail/deliver.js"
import { codeMaxAgeSeconds, hashCode, hashToken, toCode } from "../../mail/secret.js"
import { hostDeadlineMs, systemClock, withDeadline } from "../../runtime/promise.js"
import type { EmailConfig } from "../../types/providers.js"
import { normalizeEmailAddress } from "./address.js"
import { type EmailDeps, findAddressOwner } from "./resolve-user.js"

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
  const flowCookies = await sendAllowed({ identifier, callbackUrl }, request, provider, deps)
  const page = deps.actionUrl(request, "verify-request")
  const query = { provider: provider.id, type: provider.type }
  return redirect(withQuery(page, query), { cookies: [...cookies, ...flowCookies] })
}

function readAddress(request: AuthRequest, provider: EmailConfig): string {
  const given = request.body?.["email"]
  if (given !== undefined && typeof given !== "string") throw new InvalidRequest("email must be text")
  if (!given) throw new EmailSignInError("The form has no email")
  const normalize = provider.normalizeIdentifier ?? normalizeEmailAddress
  try {
    return normalize(given)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new EmailSignInError("normalizeIdentifier refused the address", { provider: provider.id })
  }
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

interface Recipient {
  readonly identifier: string
  readonly callbackUrl: string
}

/**
 * Sends the mail if the limits allow it. Over the limit, none is sent and the reply stays the same: the visitor may be
 * flooding another person's mailbox. The former mail of the browser then stays valid, or a flow begins that no code fits.
 * @returns the cookies that keep the flow.
 */
async function sendAllowed(
  recipient: Recipient,
  request: AuthRequest,
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<readonly MailCookie[]> {
  const { identifier, callbackUrl } = recipient
  const { flows, guesses } = deps
  const allowance = await deps.limits.allowMail({ address: identifier, provider }, request)
  const isKept = provider.code === true || provider.opening !== "get"
  const pending = isKept ? await flows.find(request.cookies, provider.id) : []
  const former = pending.find((flow) => flow.identifier === identifier)
  const keep = (flow: MailFlow) => flows.keep(flow, request.cookies, maxAgeOf(provider) + rememberedSeconds)
  if (!allowance && former) return keep(former)
  const token = (await provider.generateVerificationToken?.()) ?? randomHex(32)
  const mail = { identifier, token, callbackUrl }
  const code = provider.code
    ? await toCode({ purpose: "sign-in", identifier, token }, provider, deps.config)
    : undefined
  if (allowance) {
    try {
      await sendMail({ ...mail, code }, request, provider, deps)
    } catch (error) {
      await allowance.giveBack()
      throw error
    }
    if (former) await voidCode(former, guesses)
  }
  if (!isKept) return []
  const ids = createMailIds(former)
  const kept = code === undefined ? undefined : await sealableCode(code, ids, provider, deps)
  return keep({ ...ids, provider: provider.id, identifier, token, code: kept, target: callbackUrl })
}

/** How much longer than the link the cookie lives, so that the browser that asked is told at once that the link is old. */
const rememberedSeconds = 24 * 60 * 60

/** How long a link works, in seconds. */
function maxAgeOf({ maxAge = defaultMaxAgeSeconds }: EmailConfig): number {
  return maxAge
}

type MailCookie = NonNullable<Reply["cookies"]>[number]

async function sealableCode(
  code: string,
  { mailId }: Pick<MailFlow, "mailId">,
  provider: EmailConfig,
  { config }: EmailDeps,
): Promise<NonNullable<MailFlow["code"]>> {
  const seconds = Math.min(codeMaxAgeSeconds, maxAgeOf(provider))
  return { hash: await hashCode(code, mailId, provider, config), expires: systemClock() + seconds * 1000 }
}

interface SignInSecrets extends Recipient {
  readonly token: string
  readonly code: string | undefined
}

/** Stores the token before the mail is sent, and removes it if the mail cannot be sent. */
async function sendMail(
  mail: SignInSecrets,
  request: AuthRequest,
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<void> {
  const { identifier, callbackUrl, token, code } = mail
  const expires = new Date(systemClock() + maxAgeOf(provider) * 1000)
  const [hash = ""] = await hashToken(token, provider, deps.config)
  await deps.store.createVerificationToken({ identifier, token: hash, expires })
  const address = deps.actionUrl(request, `callback/${provider.id}`)
  const url = withQuery(address, { callbackUrl, token, email: identifier })
  const { theme } = deps.config
  const hostRequest = toHostRequest(request, { ...request.body })
  const locale = await deps.findLocale(request)
  try {
    const params = {
      ...{ identifier, token, expires, url, provider, theme, request: hostRequest },
      ...(code !== undefined && { code }),
      ...(locale && { locale }),
    }
    const sending = Promise.resolve(provider.sendVerificationRequest(params))
    const late = () => new Error(`Sending took longer than ${hostDeadlineMs} ms`)
    await withDeadline(sending, hostDeadlineMs, late)
  } catch (error) {
    await deps.store.useVerificationToken({ identifier, token: hash })
    const secrets = [identifier, token, url, ...(code === undefined ? [] : [code])]
    const err = cleanError(toError(error), secrets)
    throw new EmailSignInError("The mail could not be sent", { err, provider: provider.id, concerns: "provider" })
  }
}
