import type { EmailProof } from "../account/proof.js"
import { isSameAddress } from "../account/same-address.js"
import type { CallbackUrls } from "../checks/callback-url.js"
import type { AdapterUser } from "../contract/adapter.js"
import type { Clock } from "../contract/clock.js"
import type { EmailConfig, VerificationRequestParams } from "../contract/email-provider.js"
import type { Theme } from "../contract/theme.js"
import { sha256Hex } from "../crypto/hash.js"
import { randomHex, randomUUID } from "../crypto/random.js"
import { AuthError } from "../errors/auth-error.js"
import { CallbackRouteError } from "../errors/flow.js"
import { InvalidRequest } from "../errors/invalid-request.js"
import { AccessDenied, EmailSignInError, Verification } from "../errors/sign-in.js"
import { toError } from "../errors/to-error.js"
import { hostDeadlineMs, withDeadline } from "../host/deadline.js"
import type { Permission } from "../host/permission.js"
import type { Store } from "../host/store.js"
import { toHostRequest } from "../web/host-request.js"
import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import { normalizeEmailAddress } from "./email-address.js"
import type { Proven, SignInMethod } from "./method.js"

export interface EmailNeeds {
  readonly store: Store
  readonly permission: Permission
  readonly callbackUrls: CallbackUrls
  readonly secrets: readonly string[]
  readonly theme: Theme
  readonly clock: Clock
  /** Address of an action below the base path. */
  readonly actionUrl: (visit: Visit, path: string) => string
}

const defaultMaxAgeSeconds = 24 * 60 * 60

/** Signs people in by a link that is mailed to them and works once. */
export function emailMethod(needs: EmailNeeds): SignInMethod<EmailConfig> {
  return {
    callbackMethod: () => "GET",
    isCallbackOurForm: false,
    begin: (visit, provider) => requestLink(visit, provider, needs),
    prove: (visit, provider) => followLink(visit, provider, needs),
  }
}

async function requestLink(visit: Visit, provider: EmailConfig, needs: EmailNeeds): Promise<Reply> {
  const identifier = readAddress(visit, provider)
  const { user, account } = await findPerson(identifier, provider, needs)
  const elsewhere = await askPermission(needs, { user, account, email: { verificationRequest: true } })
  if (elsewhere !== null) return redirect(await needs.callbackUrls.check(elsewhere, visit.url.origin))
  const { url, cookies } = await needs.callbackUrls.resolve(visit)
  await sendLink({ identifier, callbackUrl: url }, visit, provider, needs)
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

async function findPerson(
  identifier: string,
  provider: EmailConfig,
  { store }: EmailNeeds,
): Promise<Omit<EmailProof, "kind">> {
  const found = await store.getUserByEmail(identifier)
  const known = found && isSameAddress(found.email, identifier) ? found : null
  const user: AdapterUser = known ?? { id: randomUUID(), email: identifier, emailVerified: null }
  const account = { providerAccountId: identifier, userId: user.id, type: "email", provider: provider.id } as const
  return { user, isKnown: known !== null, account }
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

/** The record is written before the mail is sent, and removed when the mail could not be: no link works that nobody has. */
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
    throw new EmailSignInError("The mail could not be sent", { err: toError(error), provider: provider.id })
  }
}

async function send(params: VerificationRequestParams): Promise<void> {
  const sending = params.provider.sendVerificationRequest(params)
  const late = () => new Error(`Sending took longer than ${hostDeadlineMs} ms`)
  await withDeadline(Promise.resolve(sending), hostDeadlineMs, late)
}

async function followLink(visit: Visit, provider: EmailConfig, needs: EmailNeeds): Promise<Proven | Reply> {
  // Mail scanners and browsers fetch links ahead; that must not use them up. 503 makes a browser ask again.
  if (isPrefetch(visit.request)) return { status: 503, headers: { "cache-control": "no-store" } }
  const token = visit.url.searchParams.get("token")
  const email = visit.url.searchParams.get("email") ?? undefined
  if (!token) throw new CallbackRouteError("The link has no token", { provider: provider.id })
  const identifier = await spendToken({ token, email }, provider, needs)
  return {
    proof: { kind: "email", ...(await findPerson(identifier, provider, needs)) },
    callbackUrl: undefined,
    cookies: [],
  }
}

function isPrefetch({ headers }: Request): boolean {
  return [headers.get("sec-purpose"), headers.get("purpose")].some((purpose) => purpose?.includes("prefetch"))
}

/** @throws Verification, without saying whether the link was used, has expired or never existed */
async function spendToken(
  { token, email }: { readonly token: string; readonly email: string | undefined },
  provider: EmailConfig,
  needs: EmailNeeds,
): Promise<string> {
  for (const hash of await hashToken(token, provider, needs)) {
    // The contract hands on an absent address as undefined; a store finds nothing by it.
    const found = await needs.store.useVerificationToken({ identifier: email as string, token: hash })
    if (!found) continue
    const isAlive = new Date(found.expires).valueOf() > needs.clock()
    if (!isAlive) throw new Verification("The link has expired", { provider: provider.id })
    if (email !== undefined && found.identifier !== email) break
    return found.identifier
  }
  throw new Verification("The link was used already or never existed", { provider: provider.id })
}

/** One hash for each secret, newest first: links sent before a rotation still work. */
function hashToken(token: string, provider: EmailConfig, { secrets }: EmailNeeds): Promise<readonly string[]> {
  const keys = provider.secret === undefined ? secrets : [provider.secret]
  return Promise.all(keys.map(async (secret) => await sha256Hex(`${token}${secret}`)))
}
