/** @jsxImportSource #markup */

import { FormError, renderFormPage } from "../../features/form-page.js"
import { codeMaxAgeSeconds } from "../../mail/secret.js"
import { type Translate as TranslateOf, translateFrom } from "../../messages/translate.js"
import { createTranslator, type PageFrame } from "../../pages/document.js"
import { ResendForm, type Resending, ResentNotice, toWaitScript } from "../../pages/email-pages.js"
import { codeAttributes, Field, SubmitButton } from "../../pages/form.js"
import type { JSX } from "../../pages/markup/jsx-runtime.js"
import { formatDuration } from "../../pages/theme/duration.js"
import { passwordMessages } from "./messages.js"
import { type ShownField, termsName } from "./sign-up-fields.js"
import { maxPasswordBytes } from "./text.js"

export type MessageId = keyof typeof passwordMessages
type Translate = TranslateOf<typeof passwordMessages>

/** The fields that a form may have. What each is for tells password managers what to fill in and what to save. */
export type FieldName = "email" | "name" | "account" | "code" | "current" | "password" | "first-password"

/** A page with one form. */
export interface FormPage {
  readonly heading: MessageId
  readonly texts?: readonly MessageId[]
  /** Undefined: the page has no form. */
  readonly form?: {
    /** Undefined: the form is sent to the page's own URL, which has a secret that is then not on the page. */
    readonly action?: string | undefined
    readonly hidden: Readonly<Record<string, string | undefined>>
    readonly fields: readonly FieldName[]
    /** The fields of the app. They precede the first password. */
    readonly own?: readonly ShownField[]
    /** The checkbox for the terms, if there is one. */
    readonly terms?: { readonly isChecked: boolean }
    readonly button: MessageId
  }
  /** What is wrong, and with which field. */
  readonly error?: PageError | undefined
  /** The address that was typed before, or that the mail was sent to. */
  readonly address?: string | undefined
  /** The name that was typed before. */
  readonly name?: string | undefined
  /** The code that was typed before, if nothing is wrong with it. */
  readonly code?: string | undefined
  readonly least: number
  /** The duration in its texts. Default: that of a code. */
  readonly durationSeconds?: number
  /** The form that sends the email again. */
  readonly resend?: {
    readonly action: string
    readonly hidden: Readonly<Record<string, string | undefined>>
    readonly resending: Resending
    /** Of the script that counts down. */
    readonly waitUrl: string
    /** Where another address is typed, if it can be. */
    readonly otherUrl?: string
  }
  readonly links: readonly { readonly url: string; readonly text: MessageId }[]
}

export interface PageError {
  /** `error.used`: a sentence that the sign-in page has, too. */
  readonly word: MessageId | "error.used"
  /** The name of a field: ours, or one of the app. */
  readonly field?: string | undefined
  /** A sentence of the app, in place of ours. */
  readonly text?: string | undefined
}

export function renderPasswordPage(page: FormPage, frame: PageFrame): string {
  const t = createTranslator(frame)
  const translate = translateFrom(passwordMessages, "password.", frame.locale, {
    host: frame.siteName,
    count: page.least,
    address: page.address,
    duration: formatDuration(page.durationSeconds ?? codeMaxAgeSeconds, t.language),
  })
  const { texts = [], form, error, resend, links } = page
  const explain: Explain = (fault) => explainFault(fault, frame, page.least)
  return renderFormPage(
    {
      heading: translate(page.heading),
      error: error && translate("error.title"),
      content: (
        <>
          {resend?.resending.isResent && !error && <ResentNotice t={t} />}
          {texts.map((text) => (
            <p>{translate(text)}</p>
          ))}
          {form ? (
            <Form form={form} page={page} translate={translate} explain={explain} />
          ) : (
            error && <FormError text={explain(error)} />
          )}
          {resend && <ResendForm {...resend} t={t} />}
        </>
      ),
      links: [
        ...(resend?.otherUrl !== undefined ? [{ url: resend.otherUrl, text: t.translate("code.otherAddress") }] : []),
        ...links.map(({ url, text }) => ({ url, text: translate(text) })),
      ],
      scriptUrl: resend && toWaitScript(resend.resending, resend.waitUrl),
    },
    frame,
  )
}

/** What a page says about an error. @param least characters of a password */
export function explainFault({ word, text }: PageError, frame: PageFrame, least: number): string {
  if (text !== undefined) return text
  if (word === "error.used") return createTranslator(frame).translate("code.usedText")
  return translateFrom(passwordMessages, "password.", frame.locale, { host: frame.siteName, count: least })(word)
}

interface FormProps {
  readonly form: NonNullable<FormPage["form"]>
  readonly page: FormPage
  readonly translate: Translate
  readonly explain: Explain
}

/** What the page says about an error. */
type Explain = (error: PageError) => string

const hintId = "password-hint"

function Form({ form, page, translate, explain }: FormProps): JSX.Element {
  const { action, hidden, fields, own = [], button } = form
  const focused = findFocus(page, fields)
  const toField = (field: FieldName): JSX.Element => (
    <Field
      formId="password"
      name={inputs[field].name}
      label={translate(inputs[field].label)}
      attributes={{
        ...inputs[field].attributes,
        ...prefill(field, page),
        ...(isNew(field) && { "aria-describedby": hintId }),
        ...(field === focused && { autofocus: true }),
      }}
      isInvalid={isWrong(field, page)}
    />
  )
  return (
    <form class="form" method="post" {...(action !== undefined && { action })}>
      {page.error && <FormError text={explain(page.error)} />}
      {Object.entries(hidden).map(
        ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
      )}
      {fields.filter((field) => !isNew(field)).map(toField)}
      {own.map(({ name, label, attributes }) => (
        <Field
          formId="own"
          name={name}
          label={label}
          attributes={{ ...attributes, ...(page.error?.field === name && { autofocus: true }) }}
          isInvalid={page.error?.field === name}
        />
      ))}
      {fields.filter(isNew).map(toField)}
      {fields.some(isNew) && (
        <p class="quiet" id={hintId}>
          {translate("hint")}
        </p>
      )}
      {form.terms && (
        <Field
          formId="password"
          name={termsName}
          label={translate("signUp.agree")}
          attributes={{
            type: "checkbox",
            required: true,
            ...(form.terms.isChecked && { checked: true }),
            ...(page.error?.field === termsName && { autofocus: true }),
          }}
          isInvalid={page.error?.field === termsName}
        />
      )}
      <SubmitButton text={translate(button)} isMain={true} />
    </form>
  )
}

const isNew = (field: FieldName): boolean => field === "password" || field === "first-password"

/** An error names the input: a password is called the same whether it is the first one or a new one. */
function isWrong(field: FieldName, { error }: FormPage): boolean {
  return error?.field === inputs[field].name
}

/** The field that is wrong, else the first that the visitor has to fill in. */
function findFocus(page: FormPage, fields: readonly FieldName[]): FieldName | undefined {
  const isOpen = (field: FieldName) => field !== "account" && prefill(field, page)["value"] === undefined
  // A field of the app, or the checkbox.
  if (page.error?.field !== undefined && !fields.some((field) => isWrong(field, page))) return undefined
  return fields.find((field) => isWrong(field, page)) ?? fields.find(isOpen)
}

function prefill(field: FieldName, { address, name, code }: FormPage): Readonly<Record<string, string>> {
  const known: Partial<Readonly<Record<FieldName, string | undefined>>> = {
    email: address,
    account: address,
    name,
    code,
  }
  const typed = known[field]
  return typed ? { value: typed } : {}
}

interface Input {
  readonly name: string
  readonly label: MessageId
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

const email = {
  type: "email",
  inputmode: "email",
  autocapitalize: "none",
  spellcheck: "false",
  autocomplete: "username",
  maxlength: 320,
} as const

const newPassword = {
  type: "password",
  autocomplete: "new-password",
  maxlength: maxPasswordBytes,
  required: true,
} as const

const inputs: Readonly<Record<FieldName, Input>> = {
  email: { name: "email", label: "email", attributes: { ...email, required: true } },
  // Not changed here: password managers save the new password for it.
  account: { name: "account", label: "email", attributes: { ...email, readonly: true } },
  name: { name: "name", label: "name", attributes: { type: "text", autocomplete: "name", maxlength: 100 } },
  code: {
    name: "code",
    label: "code",
    attributes: codeAttributes,
  },
  current: {
    name: "current",
    label: "currentPassword",
    attributes: { type: "password", autocomplete: "current-password", maxlength: maxPasswordBytes, required: true },
  },
  password: { name: "password", label: "newPassword", attributes: newPassword },
  "first-password": { name: "password", label: "password", attributes: newPassword },
}
