import { isAddressProved } from "../account/email-trust.js"
import { toError } from "../errors/auth-error.js"
import { isLocalHost } from "../http/client-address.js"
import { canSendMessages, getMailCode, type NoticeKind, type OwnSender } from "../mail/own-sender.js"
import { isMailProvider } from "../methods/reauthentication.js"
import { toIdText } from "../runtime/id.js"
import type { SessionRequest } from "../session/session.js"
import { type ActionContext, getOwn } from "./feature.js"

/** A change of the ways to sign in. */
interface Notice {
  readonly kind: NoticeKind
  readonly userId: string
  /** The id of the provider of an account. */
  readonly provider?: string
}

/**
 * Mails a user that their ways to sign in changed: it may have been an attacker. Only to an address that is proved to be theirs.
 * Never fails, because the change has happened.
 */
export async function notifyUser(notice: Notice, request: SessionRequest, context: ActionContext): Promise<void> {
  if (!context.config.securityNotices) return
  try {
    await send(notice, request, context)
  } catch (error) {
    context.log.error(toError(error), request)
  }
}

/** The store is asked for the user: their address may have changed since the request began. */
async function send({ kind, ...about }: Notice, request: SessionRequest, context: ActionContext): Promise<void> {
  const { store, limits, log, providers, actionUrl, features } = context
  const { headers } = request
  const url = request.url && findOwnUrl(request.url, context)
  if (!store || !headers || !url) return
  const userId = toIdText(about.userId)
  const user = await store.getUser(userId)
  if (!user || !(await isAddressProved(user, store))) return
  const sender = findSender(context)
  if (!sender) return log.warnOnce("notice-not-sent")
  if (!(await limits.allowNotice(userId, request))) return
  const name = about.provider && (providers.get(about.provider)?.name ?? about.provider)
  const hasArea = features.some(({ feature }) => feature === "accountArea")
  // Neither a secret nor a link that acts: whoever reads the mail must sign in.
  const target = hasArea ? actionUrl({ url }, "account") : `${url.origin}/`
  const mail = { kind, to: user.email, url: target, values: { provider: name } }
  const { sendNotice } = await getMailCode(sender).loadNotices()
  await sendNotice(mail, sender, { request: { ...request, headers, url }, context })
}

/**
 * The address of the app. The functions for servers get the app's own requests, whose `Host` is not checked: a thief of a session
 * could mail its owner a link to another site. Null if the request is for none of the app's hosts.
 */
function findOwnUrl(url: URL, { config, allowedOrigins }: ActionContext): URL | null {
  const { authUrl, localHosts } = config
  const isOwn = allowedOrigins?.includes(url) ?? (authUrl === undefined && isTrusted(url, localHosts))
  if (isOwn) return url
  return authUrl === undefined ? null : new URL(authUrl)
}

function isTrusted({ hostname }: URL, localHosts: ActionContext["config"]["localHosts"]): boolean {
  return localHosts === null || isLocalHost(hostname, localHosts)
}

interface SenderOfArea {
  readonly findSender: () => OwnSender | undefined
}

/**
 * What sends mails about accounts: that of the option `accountArea`, else that of passwords, else an email provider that sends
 * any mail.
 */
export function findSender({
  features,
  slots,
  providers,
}: Pick<ActionContext, "features" | "slots" | "providers">): OwnSender | undefined {
  const sender = getOwn<SenderOfArea>({ features }, "accountArea")?.findSender() ?? slots.mailer?.()
  if (sender) return sender
  for (const provider of providers.values()) {
    if (isMailProvider(provider) && canSendMessages(provider)) return provider
  }
  return undefined
}
