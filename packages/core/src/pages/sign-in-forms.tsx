import type { JSX } from "preact"
import { Field, HostFields } from "./field.js"
import { fieldAttributes } from "./field-attributes.js"
import { HiddenFields, type HiddenFieldsProps } from "./hidden-fields.js"
import type { CredentialsChoice, EmailChoice } from "./sign-in-choice.js"
import type { Speech } from "./speech.js"

interface FormNeeds {
  readonly hidden: HiddenFieldsProps
  readonly speech: Speech
  /** Whether the browser may offer passkeys where a name or an address is typed. */
  readonly offersPasskeys: boolean
}

export interface EmailFormProps extends FormNeeds {
  readonly choice: EmailChoice
  /** What the field begins with. */
  readonly email: string | undefined
  readonly isRefused: boolean
}

export function EmailForm({ choice, hidden, speech, offersPasskeys, email, isRefused }: EmailFormProps): JSX.Element {
  const attributes = {
    type: "email",
    required: true,
    autocomplete: offersPasskeys ? "username webauthn" : "email",
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

export function CredentialsForm({
  choice,
  hidden,
  speech,
  offersPasskeys,
  isRefused,
}: CredentialsFormProps): JSX.Element {
  const fields = offersPasskeys ? withPasskeys(choice.fields) : choice.fields
  return (
    <form class="form" action={choice.callbackUrl} method="post">
      <HiddenFields {...hidden} />
      <HostFields formId={choice.id} fields={fields} isRefused={isRefused} />
      <SubmitButton name={choice.name} speech={speech} />
    </form>
  )
}

/** HTML section 4.10.18.7: `webauthn` comes last, after what the field is filled with otherwise. */
function withPasskeys(fields: CredentialsChoice["fields"]): CredentialsChoice["fields"] {
  const entries = Object.entries(fields).map(([name, field]) => {
    const { autocomplete } = fieldAttributes(name, field)
    const isName = autocomplete === "username" || autocomplete === "email"
    return [name, isName ? { ...field, autocomplete: `${autocomplete} webauthn` } : field] as const
  })
  return Object.fromEntries(entries)
}

function SubmitButton({ name, speech }: { readonly name: string; readonly speech: Speech }): JSX.Element {
  return (
    <button type="submit" class="button button-primary">
      <span class="button-text">{speech.say("signIn.with", { provider: name })}</span>
    </button>
  )
}
