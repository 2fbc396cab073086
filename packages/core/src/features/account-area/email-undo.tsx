/** @jsxImportSource #markup */

import { AdapterError, Verification } from "../../errors/errors.js"
import { maskAddress } from "../../host/email-address.js"
import type { Store } from "../../host/store.js"
import { isPage } from "../../http/accept.js"
import type { AuthRequest } from "../../http/request.js"
import { type Reply, redirect } from "../../http/response.js"
import { createTranslator, LinkButton } from "../../pages/document.js"
import { HiddenFields, SubmitButton } from "../../pages/form.js"
import type { Children } from "../../pages/markup/jsx-runtime.js"
import { isSameId } from "../../runtime/id.js"
import { ownSessions } from "../../session/own-sessions.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext, RouteMethods } from "../feature.js"
import { renderFormPage } from "../form-page.js"
import { findFormResult, toResultPage } from "../form-result.js"
import { toFrame, toPage, unreferred } from "../page.js"
import { answer, guarded, limited } from "../route.js"
import { clearedCache } from "../sign-out.js"
import { cancelDeletion } from "./deletion.js"
import { formerAddresses, type KeptAddress } from "./former-addresses.js"
import { notify } from "./mails.js"
import { undoPath } from "./names.js"
import { translateAccount } from "./translate.js"

/** `account/email/undo?change=…&token=…`: the link that was mailed to the former address. It works without a session. */
export const undoRoutes: RouteMethods = {
  GET: limited("callback", show),
  POST: guarded(limited("callback", undo)),
}

/** Asks, and changes nothing: scanners open links. */
async function show(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { facts } = (await findFormResult(request, context)) ?? {}
  if (facts && isPage(request)) return showDone(facts, request, context)
  const kept = await findKept(request, context)
  if (!kept) return showSpent(request, context)
  const address = maskAddress(kept.email) ?? ""
  if (!isPage(request)) return answer(200, { address })
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const translate = translateAccount(await toFrame(request, context))
  const content = (
    // The form has no action, so it is sent to the link itself and the page holds no secret.
    <form class="form" method="post">
      <p>{translate("undo.text", { address })}</p>
      <HiddenFields {...{ csrfToken }} />
      <SubmitButton text={translate("undo.button")} isMain={true} />
    </form>
  )
  return showPage(content, { request, context, cookies }, "undo.heading")
}

async function findKept({ url }: AuthRequest, { store, secrets }: ActionContext): Promise<KeptAddress | null> {
  const [id, token] = [url.searchParams.get("change") ?? "", url.searchParams.get("token") ?? ""]
  const isOurs = /^email:[0-9a-f]{64}$/.test(id) && /^[0-9a-f]{64}$/.test(token)
  return store && isOurs ? formerAddresses(store, secrets).findByToken(id, token) : null
}

/**
 * Restores the address. Sessions end before and after, and the link works until all is done: if the process dies in
 * between, the user can press the button again.
 */
async function undo(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const kept = await findKept(request, context)
  const { store } = context
  if (!kept || !store) return toSpent(request, context)
  const { userId, email } = kept
  const own = ownSessions(context)
  const cookies = await endOwn(userId, request, context)
  await own.endAll(userId, undefined, request)
  const left = await restore(kept, store)
  if (left === null) return toSpent(request, context, cookies)
  await voidSecrets(userId, context, store)
  // The thief may have planned it.
  await cancelDeletion(userId, request, context)
  await own.endAll(userId, undefined, request)
  await formerAddresses(store, context.secrets).drop(kept)
  context.log.record({ kind: "email-restored", userId }, request)
  await context.events.send("emailChanged", { userId, isUndone: true }, request)
  const notice = { kind: "restored", to: left, url: `${request.url.origin}/` } as const
  if (left !== email) await notify(notice, { request, context })
  return toDone(await needsPassword(userId, store), kept, { request, context, cookies })
}

/** The cookies of the session of this browser, if it is that of the user. */
async function endOwn(
  userId: string,
  request: AuthRequest,
  { sessions }: ActionContext,
): Promise<readonly ResponseCookie[]> {
  const user = await sessions.findUser(request.cookies)
  return isSameId(user?.id, userId) ? (await sessions.end(request)).cookies : []
}

/** How often the thief may change the address meanwhile. */
const maxAttempts = 10

/** Returns the address that the user had. Null if the user is gone, or another user has the address. */
async function restore({ userId, email, emailVerified }: KeptAddress, store: Store): Promise<string | null> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const user = await store.getUser(userId)
    if (!user || user.email === email) return user?.email ?? null
    try {
      if (await store.replaceEmail({ userId, from: user.email, to: email, emailVerified })) return user.email
    } catch (thrown) {
      if (!(thrown instanceof AdapterError) || !(await store.getUserByEmail(email))) throw thrown
      return null
    }
  }
  return null
}

async function voidSecrets(userId: string, { features }: ActionContext, store: Store): Promise<void> {
  for (const feature of features) await feature.onAddressRestored?.(userId, store)
}

async function needsPassword(userId: string, store: Store): Promise<boolean> {
  return store.has("getPassword") && (await store.getPassword(userId)) !== null
}

interface Shown {
  readonly request: AuthRequest
  readonly context: ActionContext
  readonly cookies: readonly ResponseCookie[]
}

/** Leads to a page whose address has no secret. */
async function toDone(isPasswordNeeded: boolean, { email }: KeptAddress, shown: Shown): Promise<Reply> {
  const { request, context, cookies } = shown
  const next = isPasswordNeeded ? "password/forgot" : "signin"
  const headers = clearedCache(request, context)
  if (!isPage(request)) {
    const reply = answer(200, { url: context.actionUrl(request, next) })
    return { ...reply, cookies, headers: { ...reply.headers, ...headers } }
  }
  const result = { facts: { address: maskAddress(email) ?? "", next } }
  const page = { url: context.actionUrl(request, undoPath), cookies }
  return { ...(await toResultPage(result, page, request, context)), headers }
}

type Facts = Readonly<Record<string, string>>

async function showDone(
  { address, next = "signin" }: Facts,
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  const frame = await toFrame(request, context)
  const translate = translateAccount(frame)
  const text = next === "signin" ? createTranslator(frame).translate("signIn.title") : translate("undo.password")
  const content = (
    <>
      <p>{translate("undo.done", { address })}</p>
      <LinkButton url={context.actionUrl(request, next)} text={text} rank="primary" />
    </>
  )
  return showPage(content, { request, context, cookies: [] }, "email.title")
}

const spent = () => new Verification("There is no change of an address to undo with this link")

function toSpent(request: AuthRequest, context: ActionContext, cookies: readonly ResponseCookie[] = []): Reply {
  if (!isPage(request)) throw spent()
  context.log.errorOnce(spent(), request)
  // Without the link: the page says the same without one.
  return redirect(context.actionUrl(request, `${undoPath}?error=Verification`), { cookies })
}

async function showSpent(request: AuthRequest, context: ActionContext): Promise<Reply> {
  if (!isPage(request)) throw spent()
  context.log.errorOnce(spent(), request)
  const translate = translateAccount(await toFrame(request, context))
  const content = (
    <div class="notice" role="alert">
      <p>{translate("undo.spent")}</p>
    </div>
  )
  return { ...(await showPage(content, { request, context, cookies: [] }, "email.title")), status: 400 }
}

async function showPage(content: Children, shown: Shown, id: "undo.heading" | "email.title"): Promise<Reply> {
  const { request, context, cookies } = shown
  const frame = await toFrame(request, context)
  const back = { url: frame.siteUrl, text: createTranslator(frame).translate("link.back") }
  const text = renderFormPage({ heading: translateAccount(frame)(id), content, links: [back] }, frame)
  return unreferred(await toPage(text, context, { cookies }))
}
