/** @jsxImportSource #markup */
import { Verification } from "../../errors/errors.js"
import { findResending } from "../../mail/flow.js"
import { findFlowOf, findLiveFlow, readLink } from "../../mail/mailed-secret.js"
import { isolate } from "../../messages/translate.js"
import { createTranslator, LinkButton, type PageFrame } from "../../pages/document.js"
import { ResendForm, type Resending, ResentNotice, toWaitScript } from "../../pages/email-pages.js"
import { codeAttributes, Field, HiddenFields, SubmitButton } from "../../pages/form.js"
import type { JSX } from "../../pages/markup/jsx-runtime.js"
import type { ActionContext } from "../feature.js"
import { findSender } from "../notices.js"
import { confirmChange, requestChange, toMailVisit } from "./email-change.js"
import { undoRoutes } from "./email-undo.js"
import { changePurpose } from "./mails.js"
import { undoPath } from "./names.js"
import type { MessageId, Rendered, Section, SectionPage, Visit } from "./section.js"
import { translateAccount, translateSection } from "./translate.js"

/** The address of the user. */
export interface OwnAddress {
  readonly email: string | null
  /** Whether its mailbox was proved by a mail. */
  readonly isVerified: boolean
  /** The address that this browser asked for and that is not confirmed yet. */
  readonly pending: string | null
}

/** The address, and its change. */
export const emailSection: Section<OwnAddress> = {
  name: "email",
  isOffered: canChange,
  async show(visit) {
    const { email, emailVerified } = visit.user
    const flow = await findLiveFlow(changePurpose, toMailVisit(visit))
    // The next user of a shared browser must not see the address that another one asked for.
    const isPending = flow !== undefined && flow.data === visit.userId && flow.identifier !== email
    return { email: email || null, isVerified: emailVerified !== null, pending: isPending ? flow.identifier : null }
  },
  actions: { send: requestChange, confirm: confirmChange },
  // The request was proved, and only its user and the owner of the new mailbox together can confirm it.
  unproved: ["confirm"],
  routes: { [undoPath]: undoRoutes },
  translate,
  summarize: ({ email }, { locale }) => isolate(email ?? "", locale),
  async render({ email, pending }, page) {
    const link = await findLink(page.visit)
    if (link !== null) return { content: <LinkForm address={link} page={page} />, hasChanges: false }
    const isAgain = page.visit.request.url.searchParams.has("again") || page.wrongField === "email"
    if (pending !== null && !isAgain) return renderCode(pending, page)
    return { content: <AddressForm email={email} page={page} /> }
  },
}

/** Sentences that the pages of sign-ins have, too. */
const shared = {
  "problem.address": "email.address",
  "problem.code": "code.wrong",
  "problem.mail": "email.heading",
  "problem.used": "code.usedText",
} as const

function translate(id: MessageId, frame: PageFrame): string | null {
  const own = Object.hasOwn(shared, id) ? shared[id as keyof typeof shared] : undefined
  return own ? createTranslator(frame).translate(own) : translateSection("email")(id, frame)
}

/** A change is undone by mail, and ends sessions. */
function canChange(context: ActionContext): boolean {
  const { store, sessions } = context
  const methods = [
    "replaceEmail",
    "createAccountChange",
    "getAccountChange",
    "listAccountChanges",
    "deleteAccountChange",
    "createVerificationToken",
    "useVerificationToken",
    "getUserByEmail",
  ] as const
  const canStore = store !== null && methods.every((method) => store.has(method))
  return canStore && sessions.identify !== undefined && findSender(context) !== undefined
}

/** The address of the link that led here. Null without one, or after it was refused. */
async function findLink(visit: Visit): Promise<string | null> {
  if (visit.request.method === "POST") return null
  try {
    const link = readLink(visit.request, changePurpose)
    return link && ((await findFlowOf(changePurpose, link, toMailVisit(visit)))?.identifier ?? link.address)
  } catch (thrown) {
    if (thrown instanceof Verification) return null
    throw thrown
  }
}

interface FormProps {
  readonly address: string
  readonly page: SectionPage
}

/** The form has no action, so it is sent to the link itself and the page holds no secret. */
function LinkForm({ address, page: { frame, csrfToken } }: FormProps): JSX.Element {
  const translate = translateAccount(frame)
  return (
    <form class="form" method="post">
      <p>{translate("email.link", { address })}</p>
      <HiddenFields {...{ csrfToken, action: "confirm" }} />
      <SubmitButton text={translate("email.confirm")} isMain={true} />
    </form>
  )
}

/** The code that was mailed to a new address. */
async function renderCode(address: string, page: SectionPage): Promise<Rendered> {
  const flow = await findLiveFlow(changePurpose, toMailVisit(page.visit))
  const resending = flow ? findResending(flow) : { isResent: false, pauseSeconds: 0 }
  return {
    content: <CodeForm address={address} page={page} resending={resending} />,
    hasChanges: false,
    scriptUrl: toWaitScript(resending, page.toUrl("wait.js")),
  }
}

interface CodeFormProps extends FormProps {
  readonly resending: Resending
}

function CodeForm({ address, page, resending }: CodeFormProps): JSX.Element {
  const { frame, t, action, csrfToken, wrongField, isFresh } = page
  const translate = translateAccount(frame)
  return (
    <>
      {resending.isResent && wrongField === undefined && <ResentNotice t={t} />}
      <p>{t.translate("code.sent", { address })}</p>
      <form class="form" action={action} method="post">
        <HiddenFields {...{ csrfToken, action: "confirm" }} />
        <Field
          formId="email"
          name="code"
          label={t.translate("code.label")}
          attributes={{ ...codeAttributes, autofocus: true }}
          isInvalid={wrongField === "code"}
        />
        <SubmitButton text={translate("email.confirm")} isMain={true} />
      </form>
      {isFresh && (
        <ResendForm
          action={action}
          hidden={{ csrfToken, action: "send", email: address }}
          resending={resending}
          t={t}
        />
      )}
      <LinkButton url={`${action}?again`} text={t.translate("code.otherAddress")} rank="secondary" />
    </>
  )
}

interface AddressFormProps {
  readonly email: string | null
  readonly page: SectionPage
}

function AddressForm({ email, page }: AddressFormProps): JSX.Element {
  const { frame, action, csrfToken, isFresh, wrongField, typed } = page
  const translate = translateAccount(frame)
  return (
    <>
      {email !== null && (
        <p>
          <strong>
            <bdi>{email}</bdi>
          </strong>
        </p>
      )}
      {isFresh && (
        <form class="form" action={action} method="post">
          <p class="quiet">{translate("email.text")}</p>
          <HiddenFields {...{ csrfToken, action: "send" }} />
          <Field
            formId="email"
            name="email"
            label={translate("email.new")}
            attributes={{
              type: "email",
              inputmode: "email",
              autocapitalize: "none",
              spellcheck: "false",
              autocomplete: "email",
              maxlength: 320,
              required: true,
              value: typed("email") ?? "",
            }}
            isInvalid={wrongField === "email"}
          />
          <SubmitButton text={translate("email.send")} isMain={true} />
        </form>
      )}
    </>
  )
}
