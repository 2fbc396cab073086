/** @jsxImportSource #markup */

import { isPage } from "../../http/accept.js"
import type { AuthRequest } from "../../http/request.js"
import type { Reply } from "../../http/response.js"
import { translateFrom } from "../../messages/translate.js"
import { createTranslator } from "../../pages/document.js"
import { Field, HiddenFields } from "../../pages/form.js"
import { formatDuration } from "../../pages/theme/duration.js"
import { systemClock } from "../../runtime/promise.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext } from "../feature.js"
import { renderFormPage } from "../form-page.js"
import { findFormResult, toResultPage } from "../form-result.js"
import { toFrame, toPage } from "../page.js"
import { answer } from "../route.js"
import { clearedCache } from "../sign-out.js"
import { deleteNow, findVeto, planDeletion } from "./deletion.js"
import { accountMailMessages } from "./mail-messages.js"
import type { AccountSettings } from "./names.js"
import { ChangeRefused, type Section, type Visit } from "./section.js"
import { getText } from "./text.js"
import { translateAccount, translateSection } from "./translate.js"

/** What has to be typed, and when the account is deleted. */
interface Deletion {
  readonly confirmation: string
  readonly afterDays: number
}

/** The end of the account. */
export const deleteSection: Section<Deletion> = {
  name: "delete",
  isOffered: canDelete,
  show: (visit) => ({ confirmation: toConfirmation(visit), afterDays: visit.settings.deleteAfterDays }),
  actions: { delete: submit },
  showEnd,
  translate: translateSection("delete"),
  summarize: () => "",
  render({ confirmation, afterDays }, { frame, t, action, csrfToken, isFresh, wrongField }) {
    const translate = translateAccount(frame)
    const content = (
      <>
        <p>
          {afterDays > 0
            ? translate("delete.wait", { duration: toDuration(afterDays, t.language) })
            : translate("delete.text")}
        </p>
        {isFresh && (
          <form class="form" action={action} method="post">
            <HiddenFields {...{ csrfToken, action: "delete" }} />
            <Field
              formId="delete"
              name="confirm"
              label={translate("delete.confirm", { text: confirmation })}
              attributes={{
                type: "text",
                autocomplete: "off",
                autocapitalize: "none",
                spellcheck: "false",
                maxlength: 320,
                required: true,
                // An address, or a name in any language.
                dir: "auto",
              }}
              isInvalid={wrongField === "confirm"}
            />
            <button type="submit" class="button button-danger">
              <span class="button-text">{translate("delete.title")}</span>
            </button>
          </form>
        )}
      </>
    )
    return { content }
  },
}

/** Without `session.track`, a stateless session would go on. */
function canDelete({ store, sessions }: ActionContext, { deleteAfterDays }: AccountSettings): boolean {
  const methods = ["createAccountChange", "getAccountChange", "listAccountChanges", "deleteAccountChange"] as const
  const canWait = deleteAfterDays === 0 || methods.every((method) => store?.has(method))
  return store?.has("deleteUser") === true && sessions.identify !== undefined && canWait
}

const toDuration = (days: number, language: string): string => formatDuration(days * 24 * 60 * 60, language)

/** Some users have no address. */
function toConfirmation({ user, userId }: Visit): string {
  return user.email || user.name || userId
}

/** `action=delete` with `confirm`: the address of the account. */
async function submit(visit: Visit): Promise<Reply> {
  const { request, context, store, user, userId, settings } = visit
  const typed = getText(request, "confirm").trim().toLowerCase()
  if (typed !== toConfirmation(visit).trim().toLowerCase()) {
    throw new ChangeRefused("confirm: must be what the page shows, the address of the account", {
      code: "text",
      field: "confirm",
    })
  }
  await askHost(visit)
  const deleting = { request, context, store }
  const { deleteAfterDays: days } = settings
  const own = { ...user, id: userId }
  const forgotten = days > 0 ? await planDeletion(own, days, deleting) : await deleteNow(own, deleting)
  // Not before: a user whose account could not be deleted must be able to try again.
  const { cookies } = await context.sessions.end(request)
  return toEnd(visit, [...cookies, ...(forgotten ?? [])])
}

/** @throws ChangeRefused with the sentence of the host */
async function askHost({ settings, user }: Visit): Promise<void> {
  const reason = await findVeto(user, settings)
  if (reason !== null) throw new ChangeRefused("beforeDelete keeps the account", { code: "kept", reason })
}

/** Leads to the page that can be loaded again, though its user has no session any more. */
async function toEnd({ request, context, settings }: Visit, cookies: readonly ResponseCookie[]): Promise<Reply> {
  const { deleteAfterDays: days } = settings
  const headers = clearedCache(request, context)
  if (!isPage(request)) {
    const reply = answer(200, { deletedAfterDays: days })
    return { ...reply, cookies, headers: { ...reply.headers, ...headers } }
  }
  const facts = { days: String(days), time: String(systemClock()) }
  const url = context.actionUrl(request, "account/delete")
  return { ...(await toResultPage({ facts }, { url, cookies }, request, context)), headers }
}

async function showEnd(request: AuthRequest, context: ActionContext): Promise<Reply | null> {
  const { facts } = (await findFormResult(request, context)) ?? {}
  if (!facts) return null
  const [days, time] = [Number(facts["days"]), Number(facts["time"])]
  const frame = await toFrame(request, context)
  const t = createTranslator(frame)
  const translate = translateAccount(frame)
  const isPlanned = days > 0
  const text = isPlanned
    ? translate("delete.until", { date: formatLastDay(days, time, t.language) })
    : translate("delete.done")
  const content = (
    <div class="notice notice-hint" role="status">
      <p>{text}</p>
    </div>
  )
  const signIn = { url: context.actionUrl(request, "signin"), text: t.translate("link.signIn") }
  const back = { url: frame.siteUrl, text: t.translate("link.back") }
  const heading = translateFrom(accountMailMessages, "accountMail.", frame.locale, { host: frame.siteName })(
    isPlanned ? "planned.subject" : "deleted.subject",
  )
  const page = renderFormPage({ heading, content, links: isPlanned ? [signIn, back] : [back] }, frame)
  return toPage(page, context)
}

/**
 * The last day on which the account can be kept, such as "12 December 2026". The time zone of the visitor is unknown, so that
 * it is never later than the day there.
 */
function formatLastDay(days: number, time: number, language: string): string {
  const halfDay = 12 * 60 * 60 * 1000
  const due = time + days * 2 * halfDay - halfDay
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(due)
}
