import type { EmailConfig, VerificationRequestParams } from "../contract/email-provider.js"
import { randomHex } from "../crypto/random.js"
import { AuthError } from "../errors/auth-error.js"
import { InvalidRequest } from "../errors/invalid-request.js"
import { AccessDenied, EmailSignInError } from "../errors/sign-in.js"
import { toError } from "../errors/to-error.js"
import { cleanError } from "../host/clean-error.js"
import { hostDeadlineMs, withDeadline } from "../host/deadline.js"
import type { Permission } from "../host/permission.js"
import { defaultMaxAgeSeconds } from "../mail/write-mail.js"
import { toHostRequest } from "../web/host-request.js"
import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import { normalizeEmailAddress } from "./email-address.js"
import type { EmailNeeds } from "./email-needs.js"
import { findAddressOwner } from "./find-address-owner.js"
import { hashToken } from "./hash-token.js"

/**
 * Mails a link to the address in the form.
 * @throws EmailSignInError when the address is none or the mail cannot be sent; AccessDenied when the host refuses
 */
export async function requestLink(visit: Visit, provider: EmailConfig, needs: EmailNeeds): Promise<Reply> {
  const identifier = readAddress(visit, provider)
  const { user, account } = await findAddressOwner(identifier, provider, needs)
  const elsewhere = await askPermission(needs, { user, account, email: { verificationRequest: true } })
  if (elsewhere !== null) return redirect(await needs.callbackUrls.check(elsewhere, visit.url.origin))
  const { url, cookies } = await needs.callbackUrls.resolve(visit)
  await sendAllowed({ identifier, callbackUrl: url }, visit, provider, needs)
  const page = needs.actionUrl(visit, "verify-request")
  return redirect(withQuery(page, { provider: provider.id, type: provider.type }), { cookies })
}

function readAddress(visit: Visit, provider: EmailConfig): string {
  const given = visit.body?.["email"]
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

/** Asking for a link must not tell a stranger more than that it is refused. */
async function askPermission(
  { permission }: EmailNeeds,
  params: Parameters<Permission["ask"]>[0],
): Promise<string | null> {
  try {
    return await permission.ask(params)
  } catch (error) {
    throw error instanceof AccessDenied ? error : new AccessDenied(toError(error))
  }
}

interface Link {
  readonly identifier: string
  readonly callbackUrl: string
}

/** A mail too many is not sent, and the visitor cannot tell: they may be somebody who fills the mailbox of another. */
async function sendAllowed(link: Link, visit: Visit, provider: EmailConfig, needs: EmailNeeds): Promise<void> {
  const allowance = await needs.limits.allowMail(link.identifier, visit)
  if (!allowance) return
  try {
    await sendLink(link, visit, provider, needs)
  } catch (error) {
    await allowance.giveBack()
    throw error
  }
}

/**
 * The record is written before the mail is sent, and removed when the mail could not be: no link works that nobody has.
 */
async function sendLink(link: Link, visit: Visit, provider: EmailConfig, needs: EmailNeeds): Promise<void> {
  const { identifier, callbackUrl } = link
  const token = (await provider.generateVerificationToken?.()) ?? randomHex(32)
  const expires = new Date(needs.clock() + (provider.maxAge ?? defaultMaxAgeSeconds) * 1000)
  const [hash = ""] = await hashToken(token, provider, needs)
  await needs.store.createVerificationToken({ identifier, token: hash, expires })
  const address = needs.actionUrl(visit, `callback/${provider.id}`)
  const url = withQuery(address, { callbackUrl, token, email: identifier })
  const request = toHostRequest(visit, { ...visit.body })
  try {
    await send({ identifier, token, expires, url, provider, theme: needs.theme, request })
  } catch (error) {
    await needs.store.useVerificationToken({ identifier, token: hash })
    const err = cleanError(toError(error), [identifier, token, url])
    throw new EmailSignInError("The mail could not be sent", { err, provider: provider.id, concerns: "provider" })
  }
}

async function send(params: VerificationRequestParams): Promise<void> {
  const sending = params.provider.sendVerificationRequest(params)
  const late = () => new Error(`Sending took longer than ${hostDeadlineMs} ms`)
  await withDeadline(Promise.resolve(sending), hostDeadlineMs, late)
}
