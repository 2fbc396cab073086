import { hasEarly } from "../../account/session-proofs.js"
import { randomVerifier } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"
import { InvalidRequest, SessionTokenError } from "../../errors/errors.js"
import { isPage } from "../../http/accept.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { type Reply, redirect, wantsRedirectAsJson, withQuery } from "../../http/response.js"
import { systemClock } from "../../runtime/promise.js"
import type { ActionContext, Route } from "../feature.js"
import { findProofs, isFresh, toConfirmUrl } from "../freshness.js"
import { toFrame, toPage } from "../page.js"
import { type NativeClient, type NativeClients, purposes, toIssuer } from "./clients.js"
import { findUserId, keepCode } from "./code.js"
import { renderConsentPage } from "./consent-page.js"
import { matchesRedirectUri, toFormTarget, withAnswer } from "./redirect-uri.js"

/** What an app asks for, and who is asked. */
interface Asking {
  readonly client: NativeClient
  readonly redirectUri: string
  readonly state: string
  readonly challenge: string
}

/** How long a person may take to answer. */
const consentSeconds = 10 * 60

/** `GET /native`: asks the signed-in user whether the app may be signed in. RFC 6749 section 4.1.1, RFC 7636 section 4.3. */
export function askConsent(clients: NativeClients): Route {
  return async (request, context) => {
    assertOpened(request)
    const asking = readAsking(request.url, clients)
    if ("error" in asking) return toApp(asking, { error: asking.error }, request, context)
    // Any site can send a browser here, so the session cookie is not written: a late answer could clear or overwrite that of
    // a new session.
    const { session, isUnknown } = await context.sessions.check(request)
    if (isUnknown) throw new SessionTokenError("The session could not be read")
    const userId = session && (await findUserId(request, context))
    if (!userId) return redirect(toSignInUrl(request, context))
    if (!(await isFresh(request, context))) {
      const isAskedAgain = hasEarly(await findProofs(userId, request, context), systemClock())
      return redirect(toConfirmUrl(request, context, { callbackUrl: request.url.href, isAskedAgain }))
    }
    const { client, redirectUri } = asking
    const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
    const content = {
      app: client.name,
      account: session.user?.email ?? session.user?.name ?? undefined,
      csrfToken,
      ticket: await sealTicket(asking, userId, context),
      // With the question, so that the page can be shown again.
      action: toPageUrl(asking, request, context),
      signInUrl: toSignInUrl(request, context),
    }
    const page = await toPage(renderConsentPage(content, await toFrame(request, context)), context, { cookies })
    return { ...page, headers: { ...page.headers, ...leadTo(redirectUri, page), ...ownWindow } }
  }
}

/** `POST /native`: gives the app a code, or the answer that the user does not want it. */
export function answerConsent(clients: NativeClients): Route {
  return async (request, context) => {
    assertOpened(request)
    const { userId, ...asking } = await openTicket(request, clients, context)
    const choice = findField(request, "choice")
    if (choice === "cancel") return toApp(asking, { error: "access_denied" }, request, context)
    if (choice !== "continue") throw new InvalidRequest('choice: must be "continue" or "cancel"')
    // Asks again if another user has signed in meanwhile, such as in another tab, or if the proof has become too old.
    const isSame = userId === (await findUserId(request, context))
    if (!isSame || !(await isFresh(request, context))) {
      return redirect(toPageUrl(asking, request, context))
    }
    const { client, redirectUri, challenge } = asking
    const code = randomVerifier()
    await keepCode(code, { clientId: client.id, redirectUri, challenge, userId }, request, context)
    return toApp(asking, { code }, request, context)
  }
}

/**
 * Takes the page away from a script that has opened its window: it could read the question, answer it, and read a code that
 * is sent to an https address of the same origin. HTML Standard, "cross-origin opener policies".
 */
const ownWindow = { "cross-origin-opener-policy": "same-origin" } as const

/**
 * A script must not get the code, not even one of this site: it would turn a session that it cannot read into a token that
 * it can take away. Browsers say what sends a request, and no script can change it (Fetch Metadata).
 */
function assertOpened(request: AuthRequest): void {
  const { headers } = request
  const mode = headers.get("sec-fetch-mode")
  const target = headers.get("sec-fetch-dest")
  const isOpened = (mode === null || mode === "navigate") && (target === null || target === "document")
  if (!isOpened || !isPage(request) || wantsRedirectAsJson(request)) {
    throw new InvalidRequest("The page that asks for an app must be opened in a browser window of its own")
  }
}

const parameters = [
  "response_type",
  "client_id",
  "redirect_uri",
  "state",
  "code_challenge",
  "code_challenge_method",
] as const

/** An error for the app, at an address that is known to be its own. */
interface Refused extends Pick<Asking, "client" | "redirectUri"> {
  readonly error: string
  readonly state: string | undefined
}

/**
 * @throws InvalidRequest for an unknown client or a foreign address, to which nothing may be sent (RFC 6749 section 4.1.2.1)
 */
function readAsking({ searchParams, origin }: URL, clients: NativeClients): Asking | Refused {
  const read = (name: string) => searchParams.get(name) ?? ""
  const isTwice = (name: string) => searchParams.getAll(name).length > 1
  if (isTwice("client_id") || isTwice("redirect_uri"))
    throw new InvalidRequest("client_id and redirect_uri may be sent once (RFC 6749 section 3.1)")
  const client = clients.get(read("client_id"))
  if (!client) {
    const known = [...clients.keys()].join(", ")
    // Somebody's address is not the id of an app, and does not belong into a log.
    const given = /@|%40/.test(read("client_id")) ? "" : `${quote(read("client_id"))} `
    throw new InvalidRequest(`client_id: ${given}is not the id of a client in nativeApps: ${known}`)
  }
  const redirectUri = read("redirect_uri")
  if (!matchesRedirectUri(redirectUri, client.redirectUris)) {
    throw new InvalidRequest(
      `redirect_uri: ${quote(redirectUri.replace(/[?#].*/s, ""))} is not one of the redirectUris of the client ${client.id} in nativeApps: ${client.redirectUris.join(", ")}`,
    )
  }
  // Every script of the site could read the code there. iOS does not open apps for links within a site either.
  if (URL.parse(redirectUri)?.origin === origin) {
    throw new InvalidRequest("redirect_uri: is at the origin of the service. Give the app another, such as a subdomain")
  }
  const state = read("state")
  const refuse = (error: string): Refused => ({
    ...{ client, redirectUri, error },
    state: isState(state) && !isTwice("state") ? state : undefined,
  })
  if (parameters.some(isTwice)) return refuse("invalid_request")
  if (read("response_type") !== "code") return refuse("unsupported_response_type")
  const challenge = read("code_challenge")
  // `plain`, which a request without a method means, protects nothing from an app that sees it: RFC 8252 section 8.1.
  const isChallenge = read("code_challenge_method") === "S256" && /^[\w-]{43}$/.test(challenge)
  return isChallenge && isState(state) ? { client, redirectUri, state, challenge } : refuse("invalid_request")
}

/** What an app sent, for the log and for the page that a developer sees. */
const quote = (text: string): string => JSON.stringify(text.slice(0, 100))

/** Visible characters, RFC 6749 appendix A.5. It comes back in a URL, so that it is short. */
const isState = (text: string): boolean => /^[\x21-\x7e]{8,512}$/.test(text)

function toSignInUrl(request: AuthRequest, { pages, actionUrl }: ActionContext): string {
  return withQuery(pages.signIn ?? actionUrl(request, "signin"), { callbackUrl: request.url.href })
}

/** The page that asks, for the same answer. */
function toPageUrl({ client, redirectUri, state, challenge }: Asking, request: AuthRequest, context: ActionContext) {
  return withQuery(context.actionUrl(request, "native"), {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  })
}

/** Sends the browser back to the app, RFC 6749 section 4.1.2 and RFC 9207. */
function toApp(
  { redirectUri, state }: { readonly redirectUri: string; readonly state: string | undefined },
  answer: { readonly code: string } | { readonly error: string },
  request: AuthRequest,
  context: ActionContext,
): Reply {
  const parameters = { ...answer, ...(state !== undefined && { state }), iss: toIssuer(request, context) }
  return redirect(withAnswer(redirectUri, parameters))
}

/** Lets the form of the page lead to the app, and to nothing else. */
function leadTo(redirectUri: string, { headers = {} }: Reply): Readonly<Record<string, string>> {
  const policy = headers["content-security-policy"] ?? ""
  const target = `form-action 'self' ${toFormTarget(redirectUri)}`
  return { "content-security-policy": policy.replace(/form-action [^;]*/, target) }
}

/** What is asked, and of whom, so that the answer cannot be for anything else. */
async function sealTicket(
  { client, redirectUri, state, challenge }: Asking,
  userId: string,
  { secrets }: ActionContext,
): Promise<string> {
  const claims = { clientId: client.id, redirectUri, state, challenge, userId }
  return createSealer(secrets, systemClock).seal(purposes.consent, claims, consentSeconds)
}

/** @throws InvalidRequest for a ticket that is not ours, or too old, and if the client has lost the address meanwhile */
async function openTicket(
  request: AuthRequest,
  clients: NativeClients,
  { secrets }: ActionContext,
): Promise<Asking & { readonly userId: string }> {
  const ticket = findField(request, "ticket") ?? ""
  const claims = await createSealer(secrets, systemClock).open(purposes.consent, ticket)
  // as: sealed by `sealTicket` alone.
  const { clientId, ...sealed } = (claims ?? {}) as unknown as Asking & { userId: string; clientId: string }
  const client = claims && clients.get(clientId)
  if (!client || !matchesRedirectUri(sealed.redirectUri, client.redirectUris)) {
    throw new InvalidRequest("ticket: is invalid or older than ten minutes. Begin again in the app")
  }
  const { redirectUri, state, challenge, userId } = sealed
  return { client, redirectUri, state, challenge, userId }
}
