import { EmailSignInError, FreshnessRequired, Verification } from "../../errors/errors.js"
import { type ActionContext, findGate } from "../../features/feature.js"
import { isFresh, toConfirmUrl } from "../../features/freshness.js"
import { answer } from "../../features/route.js"
import { askToSignIn, openVisit } from "../../features/visit.js"
import { isPage } from "../../http/accept.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import { consumeSecret, findLiveFlow, mailSecret, takeSecret } from "../../mail/mailed-secret.js"
import type { SessionView } from "../../session/own-sessions.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { StoredPassword } from "../../types/adapter-features.js"
import { addPurpose, passwordMails } from "./mails.js"
import { hashNewPassword } from "./new-password.js"
import { passwordId } from "./options.js"
import type { PageError } from "./page.js"
import { CurrentPasswordWrong, getText, openPage, orShow, type PageDraft, showPage, toFormAgain } from "./reply.js"
import { changeAndSignOut, replacePassword, toState } from "./stored.js"
import { PasswordRefused } from "./text.js"
import { openTools, type Visit } from "./tools.js"

const path = "password/change"

/** The user of the session, and the session. */
interface Owner {
  readonly user: AdapterUser
  readonly session: SessionView
  /** Null if the user has no password yet. */
  readonly stored: StoredPassword | null
}

async function findOwner({ request, context, tools }: Visit): Promise<Owner | null> {
  const found = await openVisit(request, context)
  const session = found?.sessions?.[0]
  return found && session ? { user: found.user, session, stored: await tools.store.getPassword(found.userId) } : null
}

const toPageOwner = ({ user, session }: Owner): string => `${user.id} ${session.id}`

/** `GET password/change`: the form of the signed-in user. One without a password gets a code by mail first. */
export async function showChange(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const owner = await findOwner({ request, context, tools: openTools(context) })
  if (!owner) return askToSignIn(request, context, context.actionUrl(request, path))
  const { visit, error } = await openPage(request, context, toPageOwner(owner))
  return showForm(owner, error, visit)
}

async function showForm(owner: Owner, error: PageError | undefined, visit: Visit): Promise<Reply> {
  const { request, context } = visit
  const fresh = await isFresh(request, context)
  const live = owner.stored ? undefined : await findLiveFlow(addPurpose, visit)
  // Another user of this browser may have asked for it.
  const flow = live?.identifier === owner.user.email ? live : undefined
  const step = owner.stored ? "change" : flow ? "code" : "add"
  if (!isPage(request)) return answer(200, { step, isFresh: fresh })
  const action = context.actionUrl(request, path)
  const back = [{ url: request.url.origin, text: "link.back" }] as const
  const shared = { address: owner.user.email, links: back }
  if (request.url.searchParams.has("done") && !error) {
    return showPage({ ...shared, heading: "change.heading", texts: ["change.done"] }, undefined, visit)
  }
  if (!fresh && findGate(context)) return redirect(toConfirmUrl(request, context, { callbackUrl: action }))
  if (!fresh) {
    const signInUrl = withQuery(context.actionUrl(request, "signin"), { callbackUrl: action })
    const links = [{ url: signInUrl, text: "link.signIn" as const }, ...back]
    const durationSeconds = context.config.freshFor
    return showPage({ heading: "fresh.heading", texts: ["fresh.text"], durationSeconds, links }, undefined, visit)
  }
  const drafts: Readonly<Record<typeof step, PageDraft>> = {
    change: {
      ...shared,
      heading: "change.heading",
      form: { action, hidden: {}, fields: ["account", "current", "password"], button: "reset.button" },
    },
    code: {
      ...shared,
      heading: "add.heading",
      texts: ["reset.code", "code.missing"],
      form: { action, hidden: { flow: flow?.id }, fields: ["code", "account", "password"], button: "reset.button" },
      resend: flow && { action, hidden: { action: "send-code" }, flow },
    },
    add: {
      ...shared,
      heading: "add.heading",
      texts: ["add.text"],
      form: { action, hidden: { action: "send-code" }, fields: [], button: "add.button" },
    },
  }
  return showPage(drafts[step], error, visit)
}

/**
 * `POST password/change` with `current` and `password`. For a user without a password: `action=send-code`, then `code` and
 * `password`.
 */
export async function submitChange(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const visit: Visit = { request, context, tools: openTools(context) }
  const owner = await findOwner(visit)
  if (!owner) return askToSignIn(request, context, context.actionUrl(request, path))
  if (!(await isFresh(request, context))) {
    if (isPage(request)) return redirect(context.actionUrl(request, path))
    throw new FreshnessRequired("The user must re-authenticate to change the password")
  }
  const isCodeAsked = findField(request, "action") === "send-code"
  return orShow(
    () => (isCodeAsked ? sendCode(owner, visit) : change(owner, visit)),
    (error) => toFormAgain(error, { url: context.actionUrl(request, path), owner: toPageOwner(owner) }, visit),
    visit,
  )
}

/** To the address of the account, not to one in the form. */
async function sendCode({ user, stored }: Owner, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const target = context.actionUrl(request, path)
  if (!user.email) throw new EmailSignInError("The user has no address")
  const cookies = await mailSecret(
    {
      purpose: addPurpose,
      address: user.email,
      state: stored ? null : toState(stored),
      url: target,
      target,
      send: ({ code }) =>
        passwordMails.send({ kind: "add", to: user.email, url: target, code }, tools.settings.sender, visit),
    },
    visit,
  )
  return redirect(target, { cookies })
}

async function change(owner: Owner, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const { user, stored, session } = owner
  const typed = getText(request, "password")
  if (stored) await assertCurrent(stored, visit)
  if (stored && typed === getText(request, "current")) throw new PasswordRefused("same-as-before")
  const hash = await hashNewPassword(typed, user.email, tools, { ...context, url: request.url })
  if (!stored) await assertMailbox(user, visit)
  const replace = () => replacePassword(user.id, stored, hash, tools.store)
  const event = stored ? "passwordChanged" : "passwordSet"
  if (!(await changeAndSignOut(user.id, replace, context, { event, request, except: session.id }))) {
    throw new Verification("The password was changed meanwhile", { provider: passwordId })
  }
  const url = context.actionUrl(request, "password/forgot")
  await passwordMails.notify({ kind: stored ? "changed" : "added", to: user.email, url }, tools.settings.sender, visit)
  return redirect(context.actionUrl(request, `${path}?done`))
}

/**
 * Guesses count for the user of the session alone. A budget shared with sign-ins would let strangers use it up.
 * @throws CurrentPasswordWrong, and TooManyRequests after too many
 */
async function assertCurrent(stored: StoredPassword, { request, context, tools }: Visit): Promise<void> {
  const attempt = await context.limits.tryUser({ userId: stored.userId, secret: "password change" }, request)
  const { isRight } = await tools.settings.hashing.verify(getText(request, "current"), stored.hash)
  if (!isRight) throw new CurrentPasswordWrong()
  await attempt.succeed()
}

/** @throws CodeWrong, CodeSpent, Verification */
async function assertMailbox({ email }: AdapterUser, visit: Visit): Promise<void> {
  const state = toState(null)
  const secret = await takeSecret(addPurpose, async () => state, visit)
  // A code of another account of this browser proves another mailbox.
  if (secret.address !== email) throw new Verification("The mail was sent to another address", { provider: passwordId })
  await consumeSecret(secret, addPurpose, state, visit)
  await secret.succeed()
}
