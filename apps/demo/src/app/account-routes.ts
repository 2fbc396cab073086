import { Auth, type AuthConfig } from "@latchkey/core"
import { endOtherSessions, endSession, getSession, listSessions } from "@latchkey/express"
import { type Request, type RequestHandler, type Response, Router, urlencoded } from "express"
import { onlyFromOwnPages, readField } from "../web/middleware.js"
import { renderAccountPage } from "./account-page.js"
import type { AccountRecords, PasskeyRecords } from "./account-records.js"
import { type DemoSession, isDemoSession, passkeyProviderId } from "./auth-config.js"
import { maxPasskeyNameLength } from "./passkeys-section.js"
import { confirmUrl, findFactors, secondStepForms, secondStepPages, toNullIfStale } from "./second-step.js"

export interface AccountOptions {
  readonly origin: string
  readonly config: AuthConfig
  readonly records: AccountRecords
  readonly passkeys: PasskeyRecords
  readonly hasPassword: (userId: string) => Promise<boolean>
}

/** The account page and its forms, for signed-in users only. */
export function accountRoutes(options: AccountOptions): Router {
  const { config, records, passkeys, origin } = options
  const router = Router()
  router.get(
    "/account",
    requireSession(config, (session, request, response) => showAccount(session, request, response, options)),
  )
  router.use("/account", secondStepPages(options))
  router.use("/account", onlyFromOwnPages(origin), urlencoded({ extended: false, limit: "8kb" }))
  router.use("/account", secondStepForms(options))
  router.post(
    "/account/unlink",
    requireSession(config, ({ user }, request, response) => {
      const provider = readField(request, "provider")
      const account = { provider, providerAccountId: readField(request, "providerAccountId") }
      // A passkey has its own form, which deletes the credential too.
      const isUnlinked = provider !== passkeyProviderId && records.unlink(user.id, account)
      redirectToAccount(response, isUnlinked ? "removed" : "kept")
    }),
  )
  router.post(
    "/account/passkeys/rename",
    requireSession(config, async ({ user }, request, response) => {
      const name = readField(request, "name")
      const isValid = name !== "" && name.length <= maxPasskeyNameLength
      const isRenamed = isValid && (await passkeys.rename(user.id, readField(request, "id"), name))
      redirectToAccount(response, isRenamed ? "passkey-named" : "passkey-not-named")
    }),
  )
  router.post(
    "/account/passkeys/remove",
    requireSession(config, async ({ user }, request, response) => {
      const isRemoved = await passkeys.remove(user.id, readField(request, "id"))
      redirectToAccount(response, isRemoved ? "passkey-removed" : "kept")
    }),
  )
  router.post(
    "/account/end-other-sessions",
    requireSession(config, async (_session, request, response) => {
      const ended = await endOtherSessions(request, config).catch(toNullIfStale)
      if (ended === null) response.redirect(303, confirmUrl)
      else redirectToAccount(response, "ended")
    }),
  )
  router.post(
    "/account/end-session",
    requireSession(config, async (_session, request, response) => {
      const isEnded = await endSession(request, config, readField(request, "id")).catch(toNullIfStale)
      if (isEnded === null) response.redirect(303, confirmUrl)
      else redirectToAccount(response, isEnded ? "session-ended" : "session-gone")
    }),
  )
  return router
}

type SessionHandler = (session: DemoSession, request: Request, response: Response) => Promise<void> | void

/** Redirects to the sign-in page, and from there back to the account page, when the user is not signed in. */
function requireSession(config: AuthConfig, handler: SessionHandler): RequestHandler {
  return async (request, response) => {
    const session = await getSession(request, config)
    if (isDemoSession(session)) return handler(session, request, response)
    response.redirect(303, "/auth/signin?callbackUrl=%2Faccount&error=SessionRequired")
  }
}

/** Keys of the query parameter `done`. */
const notices = {
  removed: "That way to sign in was removed.",
  kept: "Nothing was removed: it was your only verified way to sign in, or it no longer exists.",
  ended: "You are signed out everywhere else.",
  "session-ended": "That session has ended.",
  "session-gone": "That session had already ended.",
  "code-wrong": "That code did not work, so nothing was set up. Try again with a new one.",
  "step-removed": "Your second step was removed. You are asked for one step again.",
  "passkey-added": "Your passkey was added. You can now sign in with it.",
  "passkey-named": "The passkey was renamed.",
  "passkey-not-named": "The name was not changed: it was empty or too long, or the passkey no longer exists.",
  "passkey-removed":
    "That passkey was removed. It can no longer sign in here. Your device may still offer it until you delete it there too.",
} as const

function redirectToAccount(response: Response, done: keyof typeof notices): void {
  response.redirect(303, `/account?done=${done}`)
}

function findNotice(done: unknown): string | null {
  const isKnown = (key: unknown): key is keyof typeof notices => typeof key === "string" && Object.hasOwn(notices, key)
  return isKnown(done) ? notices[done] : null
}

async function showAccount(
  session: DemoSession,
  request: Request,
  response: Response,
  options: AccountOptions,
): Promise<void> {
  const { records, passkeys, hasPassword } = options
  const { id } = session.user
  const page = renderAccountPage({
    session,
    accounts: records.linkedAccounts(id),
    passkeys: await passkeys.list(id),
    hasPassword: await hasPassword(id),
    emailVerifiedAt: records.emailVerifiedAt(id),
    sessions: await listSessions(request, options.config),
    factors: await findFactors(request, options.origin, options.config),
    csrfToken: await readCsrfToken(request, response, options),
    notice: findNotice(request.query["done"]),
  })
  response.type("html").send(page)
}

/** The CSRF token for forms that post to the sign-in service. Sets its cookie on the response. */
async function readCsrfToken(request: Request, response: Response, options: AccountOptions): Promise<string> {
  const headers = new Headers()
  if (request.headers.cookie) headers.set("cookie", request.headers.cookie)
  const answer = await Auth(new globalThis.Request(`${options.origin}/auth/csrf`, { headers }), options.config)
  const content: unknown = await answer.json()
  for (const cookie of answer.headers.getSetCookie()) response.append("Set-Cookie", cookie)
  if (typeof content === "object" && content !== null && "csrfToken" in content) return String(content.csrfToken)
  throw new Error("The sign-in service returned no CSRF token.")
}
