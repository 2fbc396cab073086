import type { JSX } from "preact"
import { Field, HostFields } from "./field.js"
import { HiddenFields, type HiddenFieldsProps } from "./hidden-fields.js"
import type { CredentialsChoice, EmailChoice, WebAuthnChoice } from "./sign-in-choice.js"
import type { Speech } from "./speech.js"

interface FormNeeds {
  readonly hidden: HiddenFieldsProps
  readonly speech: Speech
}

export interface EmailFormProps extends FormNeeds {
  readonly choice: EmailChoice
  /** What the field begins with. */
  readonly email: string | undefined
  readonly isRefused: boolean
}

export function EmailForm({ choice, hidden, speech, email, isRefused }: EmailFormProps): JSX.Element {
  const attributes = {
    type: "email",
    required: true,
    autocomplete: "email",
    inputmode: "email",
    autocapitalize: "none",
    spellcheck: "false",
    ...(email === undefined ? {} : { value: email }),
    ...(isRefused ? { autofocus: true } : {}),
  }
  return (
    <form class="form" action={choice.signinUrl} method="post">
      <HiddenFields {...hidden} />
      <Field
        formId={choice.id}
        name="email"
        label={speech.say("signIn.email")}
        attributes={attributes}
        isRefused={isRefused}
      />
      <SubmitButton name={choice.name} speech={speech} />
    </form>
  )
}

export interface CredentialsFormProps extends FormNeeds {
  readonly choice: CredentialsChoice
  readonly isRefused: boolean
}

export function CredentialsForm({ choice, hidden, speech, isRefused }: CredentialsFormProps): JSX.Element {
  return (
    <form class="form" action={choice.callbackUrl} method="post">
      <HiddenFields {...hidden} />
      <HostFields formId={choice.id} fields={choice.fields} isRefused={isRefused} />
      <SubmitButton name={choice.name} speech={speech} />
    </form>
  )
}

export interface PasskeyFormProps extends FormNeeds {
  readonly choice: WebAuthnChoice
}

/** The form's id and the mark on its fields are where the passkey script takes hold. */
export function PasskeyForm({ choice, hidden, speech }: PasskeyFormProps): JSX.Element {
  return (
    <form class="form" id={`${choice.id}-form`} action={choice.callbackUrl} method="post">
      <HiddenFields {...hidden} />
      <HostFields formId={choice.id} fields={choice.fields} isRefused={false} marker={{ "data-form-field": true }} />
      <SubmitButton name={choice.name} speech={speech} />
    </form>
  )
}

function SubmitButton({ name, speech }: { readonly name: string; readonly speech: Speech }): JSX.Element {
  return (
    <button type="submit" class="button button-primary">
      <span class="button-text">{speech.say("signIn.with", { provider: name })}</span>
    </button>
  )
}
