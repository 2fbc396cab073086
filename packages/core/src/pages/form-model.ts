import type { CredentialInput } from "../types/providers.js"
import type { Language } from "./language.js"

/** What the sign-in page shows for one provider. Each sign-in method builds one for its own provider. */
export type FormModel = RedirectForm | EmailForm | FieldsForm | PasskeyForm

interface FormBasics {
  /** The provider's id. */
  readonly id: string
  /** The provider's name. */
  readonly name: string
}

/** A button that starts a sign-in on the provider's own site. */
export interface RedirectForm extends FormBasics {
  readonly kind: "redirect"
  readonly signinUrl: string
  /** URL of an image, or a `data:image/` URL. */
  readonly logo?: string | undefined
  /** The provider's logo as path data of a 24 by 24 SVG. Shown if there is no `logo`. */
  readonly mark?: string | undefined
}

/** A form with one field for an email address. */
export interface EmailForm extends FormBasics {
  readonly kind: "email"
  readonly signinUrl: string
  /** Lifetime of the emailed link in seconds, if the host set one. */
  readonly maxAgeSeconds?: number | undefined
}

/** A form with the fields that the host configured. */
export interface FieldsForm extends FormBasics {
  readonly kind: "fields"
  readonly callbackUrl: string
  /** Inputs by field name. */
  readonly fields: Readonly<Record<string, CredentialInput>>
  /** Quiet links below the button, such as to a page for a forgotten password. Their texts are by language. */
  readonly links?: readonly FormLink[]
}

/** A link with a text in each language. */
export interface FormLink {
  readonly url: string
  readonly texts: Readonly<Record<Language, string>>
}

/** A form that a script completes with a passkey. */
export interface PasskeyForm extends FormBasics {
  readonly kind: "passkey"
  readonly callbackUrl: string
  /** Inputs by field name. */
  readonly fields: Readonly<Record<string, CredentialInput>>
  readonly scriptUrl: string
  /** Whether passkeys are discoverable: users can sign in without typing anything. */
  readonly isDiscoverable: boolean
  /** Whether the browser may suggest passkeys in the fields of other forms. */
  readonly hasAutofill: boolean
  /** Whether a new passkey can create an account. */
  readonly canSignUp: boolean
}
