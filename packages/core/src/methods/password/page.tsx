/** @jsxImportSource #markup */

import { codeMaxAgeSeconds } from "../../mail/secret.js"
import type { JSX } from "../../markup/jsx-runtime.js"
import { type Translate as TranslateOf, translateFrom } from "../../messages/translate.js"
import { createTranslator, LinkButton, type PageFrame, renderDocument } from "../../pages/document.js"
import { noticeId } from "../../pages/error-message.js"
import { Field, SubmitButton } from "../../pages/form.js"
import { formatDuration } from "../../theme/duration.js"
import { passwordMessages } from "./messages.js"
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
    readonly button: MessageId
  }
  /** What is wrong, and with which field. */
  readonly error?: PageError | undefined
  /** The address that was typed before, or that the mail was sent to. */
  readonly address?: string | undefined
  /** The name that was typed before. */
  readonly name?: string | undefined
  readonly least: number
  readonly links: readonly { readonly url: string; readonly text: MessageId }[]
}

export interface PageError {
  readonly word: MessageId
  readonly field?: FieldName | undefined
}

export function renderFormPage(page: FormPage, frame: PageFrame): string {
  const t = createTranslator(frame)
  const translate = translateFrom(passwordMessages, "password.", frame.locale, {
    host: frame.siteName,
    count: page.least,
    address: page.address,
    duration: formatDuration(codeMaxAgeSeconds, t.language),
  })
  const heading = translate(page.heading)
  const { texts = [], form, error, links } = page
  return renderDocument({
    // An error comes first because a screen reader reads the title first.
    title: error ? `${translate("error.title")} – ${heading}` : heading,
    frame,
    t,
    children: (
      <>
        <h1 class="heading">{heading}</h1>
        {texts.map((text) => (
          <p>{translate(text)}</p>
        ))}
        {form ? (
          <Form form={form} page={page} translate={translate} />
        ) : (
          error && <Notice error={error} translate={translate} />
        )}
        <div class="next-steps">
          {links.map(({ url, text }) => (
            <LinkButton url={url} text={translate(text)} rank="secondary" />
          ))}
        </div>
      </>
    ),
  })
}

function Notice({ error, translate }: { readonly error: PageError; readonly translate: Translate }): JSX.Element {
  return (
    <div id={noticeId} class="notice" role="alert">
      <p>{translate(error.word)}</p>
    </div>
  )
}

interface FormProps {
  readonly form: NonNullable<FormPage["form"]>
  readonly page: FormPage
  readonly translate: Translate
}

const hintId = "password-hint"

function Form({ form, page, translate }: FormProps): JSX.Element {
  const { action, hidden, fields, button } = form
  const focused = findFocus(page, fields)
  return (
    <form class="form" method="post" {...(action !== undefined && { action })}>
      {page.error && <Notice error={page.error} translate={translate} />}
      {Object.entries(hidden).map(
        ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
      )}
      {fields.map((field) => (
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
          isInvalid={page.error?.field === field}
        />
      ))}
      {fields.some(isNew) && (
        <p class="quiet" id={hintId}>
          {translate("hint")}
        </p>
      )}
      <SubmitButton text={translate(button)} isMain={true} />
    </form>
  )
}

const isNew = (field: FieldName): boolean => field === "password" || field === "first-password"

/** The field that is wrong, else the first that the visitor has to fill in. */
function findFocus({ error, address }: FormPage, fields: readonly FieldName[]): FieldName | undefined {
  return error?.field ?? fields.find((field) => field !== "account" && (field !== "email" || !address))
}

function prefill(field: FieldName, { address, name }: FormPage): Readonly<Record<string, string>> {
  const isAddress = field === "email" || field === "account"
  const typed = isAddress ? address : field === "name" ? name : undefined
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
    attributes: {
      type: "text",
      inputmode: "numeric",
      autocomplete: "one-time-code",
      autocapitalize: "none",
      spellcheck: "false",
      maxlength: 40,
      required: true,
    },
  },
  current: {
    name: "current",
    label: "currentPassword",
    attributes: { type: "password", autocomplete: "current-password", maxlength: maxPasswordBytes, required: true },
  },
  password: { name: "password", label: "newPassword", attributes: newPassword },
  "first-password": { name: "password", label: "password", attributes: newPassword },
}
