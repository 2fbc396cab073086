import type { EmailProof } from "../../account/proof.js"
import { isEqualInConstantTime } from "../../crypto/hash.js"
import { CallbackRouteError, Verification } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { maskAddress } from "../../host/email-address.js"
import { type AuthRequest, findField } from "../../http/request.js"
import type { Reply } from "../../http/response.js"
import { consumeCode, consumeSecret, isRandomToken, takeCode } from "../../mail/mailed-secret.js"
import { isPrefetch, toCode } from "../../mail/secret.js"
import type { EmailConfig } from "../../types/providers.js"
import type { LinkPage, Proven } from "../steps.js"
import { type EmailDeps, findAddressOwner, toMailVisit, toPurpose } from "./resolve-user.js"

/** The secrets of a link, in its query or in the form of the page behind it. */
interface Link {
  readonly token: string
  readonly email: string | undefined
}

/**
 * Consumes the token of a link, if this browser asked for it or its visitor pressed the button. Any other request gets a
 * page, because mail scanners open links in full browsers.
 * @throws Verification when the link does not work
 */
export async function followLink(
  request: AuthRequest,
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<Proven<EmailProof> | LinkPage | Reply> {
  // Browsers retry after 503.
  if (isPrefetch(request)) return { status: 503, headers: { "cache-control": "no-store" } }
  const link = readLink(request, provider)
  const isGuessable = provider.generateVerificationToken !== undefined || !isRandomToken(link.token)
  // Attempts are counted by address. Without one, a short code could be guessed across all addresses.
  if (isGuessable && link.email === undefined) throw unaddressed(provider)
  if (!(await mayConsume(link, request, provider, deps))) return toPage(link, provider, deps)
  const attempt = await deps.limits.tryToken({ address: link.email, provider, isGuessable }, request)
  const secret = { token: link.token, address: link.email }
  const identifier = await consumeSecret(secret, toPurpose(provider, deps), "", toMailVisit(request, deps))
  await attempt.succeed()
  return { proof: await findAddressOwner(identifier, provider, deps.store), callbackUrl: undefined, cookies: [] }
}

function readLink(request: AuthRequest, provider: EmailConfig): Link {
  const { searchParams } = request.url
  // The form of the page has no action, so it is sent to the link itself, and the page holds no secret.
  const read = (name: string) => findField(request, name) ?? searchParams.get(name) ?? undefined
  const token = read("token")
  const about = { provider: provider.id, error: "invalid-link", ...because("request-invalid") }
  if (!token) throw new CallbackRouteError("The link has no token", about)
  return { token, email: read("email") }
}

function unaddressed({ id }: EmailConfig): Verification {
  return new Verification("The link has no address", { provider: id, ...because("request-invalid") })
}

/**
 * Whether the browser asked for a mail to this address, or `opening` lets any browser use the link. Not only for this very
 * link: the person may follow an older one, and mistypes in a host's own form must be counted.
 */
async function mayConsume(
  { email, token }: Link,
  request: AuthRequest,
  provider: EmailConfig,
  { mail }: EmailDeps,
): Promise<boolean> {
  const { opening = "confirm" } = provider
  if (opening === "get" || (opening === "confirm" && request.method === "POST")) return true
  const own = await mail.flows.find(request.cookies, provider.id)
  // Some hosts remove the address from their links.
  return own.some((flow) =>
    email === undefined ? isEqualInConstantTime(flow.token, token) : flow.identifier === email,
  )
}

/** The page of a link that was opened in another browser. It is the same whether or not the link works. */
async function toPage({ token, email }: Link, provider: EmailConfig, { config }: EmailDeps): Promise<LinkPage> {
  const address = email === undefined ? undefined : maskAddress(email)
  if (provider.opening !== "code") return { linkPage: { address, hasCode: provider.code === true, code: undefined } }
  if (email === undefined) throw unaddressed(provider)
  const code = await toCode({ purpose: "sign-in", identifier: email, token }, provider, config)
  return { linkPage: { address, hasCode: true, code } }
}

/**
 * Takes the code that was typed where the sign-in began, and consumes the token of the link in the same email.
 * @throws CodeWrong, CodeSpent
 */
export async function submitCode(
  request: AuthRequest,
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<Proven<EmailProof>> {
  const [purpose, visit] = [toPurpose(provider, deps), toMailVisit(request, deps)]
  const secret = await takeCode(purpose, async () => "", visit)
  const identifier = await consumeCode(secret, purpose, "", visit)
  await secret.succeed()
  const proof = await findAddressOwner(identifier, provider, deps.store)
  return { proof, callbackUrl: secret.flow.target, cookies: [], token: secret.token }
}
