/** @jsxImportSource #markup */

import type { Locale } from "../../messages/locale.js"
import { translateFrom } from "../../messages/translate.js"
import { Field, fieldAttributes, HiddenFields, HostFields, SubmitButton } from "../../pages/form.js"
import type { EmailForm, FieldsForm, FormTexts, PersonProps } from "../../pages/form-model.js"
import type { Children, JSX } from "../../pages/markup/jsx-runtime.js"
import { isSecondStep, Links, PersonField } from "../../pages/person-forms.js"
import { passwordMessages } from "./messages.js"

interface FormUrls {
  readonly forgot: string
  /** Undefined if visitors cannot sign up. */
  readonly signUp: string | undefined
}

/** The texts of the form on the sign-in page. */
export function sayForm({ forgot, signUp }: FormUrls, takesName: boolean, locale: Locale, host: string): FormTexts {
  const translate = translateFrom(passwordMessages, "password.", locale, { host })
  return {
    labels: { email: translate(takesName ? "identifier" : "email"), password: translate("password") },
    button: translate("link.signIn"),
    links: [{ url: forgot, text: translate("link.forgot") }],
    signUp: signUp === undefined ? [] : [{ url: signUp, text: translate("link.new") }],
  }
}

/** The sign-in page of a host with passwords and mails: first who signs in, then how to prove it. */
export function renderSteps(password: FieldsForm, email: EmailForm, props: PersonProps): Children {
  const texts = password.own?.say(props.frame.locale, props.frame.siteName)
  if (!texts) return undefined
  const steps = { email, password, texts, props }
  return isSecondStep([email, password], props) ? (
    <Proofs {...steps} person={props.person ?? ""} />
  ) : (
    <Identifier {...steps} />
  )
}

interface StepProps {
  readonly email: EmailForm
  readonly password: FieldsForm
  readonly texts: FormTexts
  readonly props: PersonProps
}

/** The first step: who signs in. */
function Identifier({ email, password, texts, props }: StepProps): JSX.Element {
  const { hidden, t, signInUrl, failed, notice } = props
  const takesName = password.fields["email"]?.type !== "email"
  return (
    <form class="form" action={signInUrl} method="post">
      {failed !== undefined && failed === email && notice}
      <HiddenFields {...hidden} />
      <PersonField
        formId="person"
        label={texts.labels["email"] ?? ""}
        form={email}
        type={takesName ? "text" : "email"}
        autocomplete="username"
        props={props}
      />
      <SubmitButton text={t.translate("signIn.continue")} isMain={true} />
      <Links links={texts.signUp} />
    </form>
  )
}

/** The second step: how the person proves it. The same for everyone, known or not. */
function Proofs({ email, password, texts, person, props }: StepProps & { readonly person: string }): JSX.Element {
  const { hidden, t, signInUrl, failed, notice } = props
  const isFailed = failed === password
  const { email: name = {}, ...rest } = password.fields
  return (
    <div class="steps">
      <form class="form" action={password.callbackUrl} method="post">
        {isFailed && notice}
        <HiddenFields {...hidden} />
        <div class="person">
          {/* Readable by password managers, which save the password for it. */}
          <Field
            formId={password.id}
            name="email"
            label={texts.labels["email"] ?? ""}
            attributes={{ ...fieldAttributes("email", name), readonly: true, value: person }}
            isInvalid={false}
          />
          <a class="link" href={signInUrl}>
            {t.translate("signIn.change")}
          </a>
        </div>
        <HostFields
          formId={password.id}
          fields={focusFirst(rest)}
          labels={texts.labels}
          isInvalid={isFailed && props.isInvalid}
        />
        <SubmitButton text={texts.button} isMain={true} />
        {/* For every address alike, so that nobody learns whether it has an account. */}
        <Links links={[...texts.links, ...texts.signUp]} />
      </form>
      {person.includes("@") && (
        <form class="form" action={email.signinUrl} method="post">
          <HiddenFields {...hidden} />
          <input type="hidden" name="email" value={person} />
          <SubmitButton text={t.translate(email.hasCode ? "signIn.emailMeCode" : "signIn.emailMe")} isMain={false} />
        </form>
      )}
    </div>
  )
}

function focusFirst(fields: FieldsForm["fields"]): FieldsForm["fields"] {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field], index) => [name, index === 0 ? { ...field, autofocus: true } : field]),
  )
}
