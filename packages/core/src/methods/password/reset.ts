import { isAddressUnverified, isSameAddress } from "../../account/email-trust.js"
import type { Proof } from "../../account/proof.js"
import { AccountNotLinked, Verification } from "../../errors/errors.js"
import type { ActionContext } from "../../features/feature.js"
import { answer } from "../../features/route.js"
import { finishSignIn } from "../../features/sign-in.js"
import { normalizeEmailAddress } from "../../host/email-address.js"
import type { Events } from "../../host/events.js"
import { isPage } from "../../http/accept.js"
import type { AuthRequest } from "../../http/request.js"
import { type Reply, redirect } from "../../http/response.js"
import {
  consumeSecret,
  type FindState,
  findLiveFlow,
  type GivenSecret,
  mailSecret,
  readLink,
  takeSecret,
} from "../../mail/mailed-secret.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { StoredPassword } from "../../types/adapter-features.js"
import type { ResolvedUser } from "../steps.js"
import { type PasswordMail, passwordMails, resetPurpose } from "./mails.js"
import { hashNewPassword } from "./new-password.js"
import { passwordChangedAt, passwordId } from "./options.js"
import type { PageError } from "./page.js"
import { findAddress, getText, isOver, openPage, orShow, showPage, toFormAgain } from "./reply.js"
import {
  changeAndSignOut,
  findOwner,
  finishUser,
  type Owner,
  replacePassword,
  toState,
  toTime,
  voidPassword,
} from "./stored.js"
import { openTools, type Visit } from "./tools.js"

/** `GET password/forgot`: asks for the address. */
export async function showForgot(request: AuthRequest, context: ActionContext): Promise<Reply> {
  if (!isPage(request)) return answer(200, { step: "form" })
  const { visit, error } = await openPage(request, context)
  const isOld = request.url.searchParams.get("error") === "Verification"
  return showForgotForm(error ?? (isOld ? { word: "error.link" } : undefined), visit)
}

async function showForgotForm(error: PageError | undefined, visit: Visit): Promise<Reply> {
  const { request, context } = visit
  const { url: callbackUrl } = await context.callbackUrls.resolve(request)
  const action = context.actionUrl(request, "password/forgot")
  const flow = await findLiveFlow(resetPurpose, visit)
  return showPage(
    {
      heading: "forgot.heading",
      texts: ["forgot.text"],
      form: { action, hidden: { callbackUrl }, fields: ["email"], button: "forgot.button" },
      address: await findAddress(flow, request, context),
      links: [{ url: context.actionUrl(request, "signin"), text: "link.signIn" }],
    },
    error,
    visit,
  )
}

/** `POST password/forgot` with `email`: mails a link and a code, and answers the same for every address. */
export async function submitForgot(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const visit: Visit = { request, context, tools: openTools(context) }
  return orShow(
    () => begin(visit),
    (error) => toFormAgain(error, {}, visit),
    visit,
  )
}

async function begin(visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const address = normalizeEmailAddress(getText(request, "email"))
  const owner = await findOwner(address, tools.store, context)
  const { url: target, cookies } = await context.callbackUrls.resolve(request)
  const isTold = owner !== null || tools.settings.mailsUnknownAddresses
  const resetUrl = context.actionUrl(request, "password/reset")
  const flowCookies = await mailSecret(
    {
      purpose: resetPurpose,
      address,
      state: findState(owner),
      url: resetUrl,
      target,
      send: isTold
        ? ({ url, code }) =>
            passwordMails.send(chooseMail(owner, address, { url, code }, visit), tools.settings.sender, visit)
        : undefined,
    },
    visit,
  )
  return redirect(resetUrl, { cookies: [...cookies, ...flowCookies] })
}

/** What must not change until the password is chosen. Null if a mailed secret must not choose one. */
function findState(owner: Owner | null): string | null {
  return owner && (owner.stored || owner.isUnfinished) ? toState(owner.stored) : null
}

/**
 * A mailbox alone gives no password to an account that has none: its user adds one when signed in. Only an interrupted sign-up
 * is finished with it.
 */
function chooseMail(
  owner: Owner | null,
  to: string,
  secrets: Pick<PasswordMail, "url" | "code">,
  visit: Visit,
): PasswordMail {
  const { request, context } = visit
  if (findState(owner) !== null) return { kind: "reset", to, ...secrets }
  if (owner) return { kind: "no-password", to, url: context.actionUrl(request, "signin") }
  return { kind: "unknown", to, url: `${request.url.origin}/` }
}

/** `GET password/reset`: asks for the new password, and for the code unless a link led here. Nothing is used up. */
export async function showReset(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { visit, error: fault } = await openPage(request, context)
  try {
    return await showResetForm(fault, visit)
  } catch (error) {
    if (!(error instanceof Verification) || !isPage(request)) throw error
    return redirect(context.actionUrl(request, "password/forgot?error=Verification"))
  }
}

async function showResetForm(error: PageError | undefined, visit: Visit): Promise<Reply> {
  const { request, context } = visit
  const link = readLink(request, resetPurpose)
  const flow = link ? undefined : await findLiveFlow(resetPurpose, visit)
  if (!isPage(request)) {
    return answer(200, { step: link ? "choose" : flow ? "code" : "form", address: flow?.identifier, flow: flow?.id })
  }
  const forgotUrl = context.actionUrl(request, "password/forgot")
  if (!link && !flow) return redirect(forgotUrl)
  const action = context.actionUrl(request, "password/reset")
  return showPage(
    {
      heading: "reset.heading",
      texts: link ? ["reset.text"] : ["reset.code", "reset.text", "code.missing"],
      form: {
        // The form of a link is sent to the link itself, and the page holds no secret.
        action: link ? undefined : action,
        hidden: { flow: flow?.id },
        fields: link ? ["account", "password"] : ["code", "account", "password"],
        button: "reset.button",
      },
      address: link?.address ?? flow?.identifier,
      resend: flow && {
        action: forgotUrl,
        hidden: { email: flow.identifier, callbackUrl: flow.target },
        flow,
        otherUrl: `${forgotUrl}?again`,
      },
      links: [],
    },
    error,
    visit,
  )
}

/** `POST password/reset` with `password`, and `code` or the `token` of a link. */
export async function submitReset(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const visit: Visit = { request, context, tools: openTools(context) }
  const forgotUrl = context.actionUrl(request, "password/forgot")
  const showAgain = async (error: PageError) => {
    if (error.word === "error.link") return redirect(`${forgotUrl}?error=Verification`)
    return toFormAgain(error, isOver(error) ? { url: forgotUrl } : {}, visit)
  }
  return orShow(() => reset(visit), showAgain, visit)
}

async function reset(visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const findOwnerOf = (address: string) => findOwner(address, tools.store, context)
  // The password is judged first: one that is refused must use up neither a guess nor the link.
  const address =
    readLink(request, resetPurpose)?.address ?? (await findLiveFlow(resetPurpose, visit))?.identifier ?? ""
  const hash = await hashNewPassword(getText(request, "password"), address, tools, { ...context, url: request.url })
  const findStateOf: FindState = async (address) => findState(await findOwnerOf(address))
  const secret = await takeSecret(resetPurpose, findStateOf, visit)
  const owner = await findOwnerOf(secret.address)
  await consumeSecret(secret, resetPurpose, findState(owner), visit)
  if (!owner) throw spent()
  await secret.succeed()
  await assertOwned(owner.user, visit)
  const { user, stored } = owner
  const event = stored ? "passwordReset" : "passwordSet"
  const change = () => replacePassword(user.id, stored, hash, tools.store)
  if (!(await changeAndSignOut(user.id, change, context, { event, request }))) throw spent()
  await assertStillAddressed(user.id, secret.address, visit)
  const url = context.actionUrl(request, "password/forgot")
  await passwordMails.notify({ kind: stored ? "changed" : "added", to: user.email, url }, tools.settings.sender, visit)
  // Another reset may have come in between.
  const current = await tools.store.getPassword(user.id)
  if (current?.hash !== hash) throw spent()
  return signIn({ ...owner, stored: current }, secret, visit)
}

/**
 * Voids the new password if the address was replaced during the reset: the owner of the former mailbox may have chosen it.
 * @throws Verification
 */
async function assertStillAddressed(userId: string, address: string, { tools }: Visit): Promise<void> {
  if (isSameAddress((await tools.store.getUser(userId))?.email, address)) return
  await voidPassword(userId, tools.settings, tools.store)
  throw spent()
}

const spent = () => new Verification("The password was changed meanwhile", { provider: passwordId })

/**
 * A person who created an account with another's address may keep a passkey or a linked account in it, which a reset does
 * not end.
 * @throws AccountNotLinked
 */
async function assertOwned(user: AdapterUser, { tools: { store } }: Visit): Promise<void> {
  const accountCredentials = new Set(["passkey", "password"] as const)
  if (!(await isAddressUnverified(user, { store, accountCredentials }))) return
  const accounts = store.has("listAccountsByUserId") ? await store.listAccountsByUserId(user.id) : []
  const passkeys = store.has("listAuthenticatorsByUserId") ? await store.listAuthenticatorsByUserId(user.id) : []
  if (accounts.length + passkeys.length === 0) return
  const reason = "The address of the account was never verified, and it has other ways to sign in"
  throw new AccountNotLinked(`${reason}. Its owner has to sign in with one of them`, { provider: passwordId })
}

interface Reset extends Owner {
  readonly stored: StoredPassword
}

/** Through the gate: who resets a password still needs the second factor. */
async function signIn(
  { user, stored, isUnfinished }: Reset,
  { flow }: GivenSecret,
  { request, context, tools }: Visit,
): Promise<Reply> {
  const proof: Proof = {
    candidate: user,
    account: { providerAccountId: user.id, userId: user.id, type: "credentials", provider: passwordId },
    achieved: ["email"],
    knownUserId: user.id,
    dependsOnSession: false,
  }
  const resolveUser = async (_: Proof, __: AdapterUser | null, events: Events): Promise<ResolvedUser> => {
    const resolved = { isNewUser: false, isSignedInAlready: false, ...passwordChangedAt.bring(toTime(stored)) }
    if (user.emailVerified) return { user, ...resolved }
    if (isUnfinished) {
      const finished = await finishUser({ id: user.id }, { store: tools.store, events })
      if (!finished) throw spent()
      return { user: finished, ...resolved }
    }
    const verified = await tools.store.updateUser({ id: user.id, emailVerified: new Date() })
    await events.send("updateUser", { user: verified })
    return { user: verified, ...resolved }
  }
  return finishSignIn({ proof, callbackUrl: flow?.target, cookies: [] }, { resolveUser }, request, context)
}
