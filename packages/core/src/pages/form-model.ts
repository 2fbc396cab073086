import type { Locale } from "../messages/locale.js"
import type { ProviderStyle } from "../types/oauth-provider.js"
import type { CredentialInput } from "../types/providers.js"
import type { PageFrame, Translator } from "./document.js"
import type { HiddenFieldsProps } from "./form.js"
import type { Children, JSX } from "./markup/jsx-runtime.js"

/** What the sign-in page shows for one provider. Each sign-in method builds one for its own provider. */
export type FormModel = RedirectForm | PersonForm | PasskeyForm

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
  /** The provider's logo as a 24 by 24 SVG. Shown if there is no `logo`. */
  readonly mark?: ProviderStyle["mark"]
}

/** A form that begins with the person: an address, a user name, or what the host asks for. */
export type PersonForm = EmailForm | FieldsForm

/** A form with one field for an email address. */
export interface EmailForm extends FormBasics {
  readonly kind: "email"
  readonly signinUrl: string
  /** Whether the mail also has a code. */
  readonly hasCode?: boolean
}

/** A form with the fields that the host configured. */
export interface FieldsForm extends FormBasics {
  readonly kind: "fields"
  readonly callbackUrl: string
  /** Inputs by field name. */
  readonly fields: Readonly<Record<string, CredentialInput>>
  /** Undefined for the fields of a host. */
  readonly own?: PasswordForm
}

/** The texts and the two steps of our own form with an address and a password. */
export interface PasswordForm {
  /** The texts, in the language of the request. */
  readonly say: (locale: Locale, siteName: string) => FormTexts
  /** Renders the form and an email form in two steps. */
  readonly renderSteps: (password: FieldsForm, email: EmailForm, props: PersonProps) => Children
}

/** The texts of a form with an address and a password. */
export interface FormTexts {
  /** By field name. */
  readonly labels: Readonly<Record<string, string>>
  readonly button: string
  /** Below the button. */
  readonly links: readonly FormLink[]
  /** The page on which a new visitor creates an account, if there is one. */
  readonly signUp: readonly FormLink[]
}

interface FormLink {
  readonly url: string
  readonly text: string
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
  readonly render: (model: PasskeyForm, props: PasskeyProps) => JSX.Element
}

interface SectionProps {
  readonly hidden: HiddenFieldsProps
  readonly frame: PageFrame
  readonly t: Translator
}

/** What forms for passkeys are rendered from. */
export interface PasskeyProps extends SectionProps {
  /** All forms of the sign-in page. Empty on other pages. */
  readonly providers: readonly FormModel[]
  /** Whether its button is the page's main one. */
  readonly isMain: boolean
  readonly isSignUpShown: boolean
  /** The texts of a form that adds a passkey to the user who is signed in, and does nothing else. */
  readonly adding?: { readonly button: string; readonly needsScript: string }
}

/** What the forms that begin with the person are rendered from. */
export interface PersonProps extends SectionProps {
  /** URL of the sign-in page. A form that is sent there is answered with the second step. */
  readonly signInUrl: string
  /** Whether the browser may suggest passkeys in fields for a user name or an email address. */
  readonly hasPasskeyAutofill: boolean
  /** Who signs in, in the second step: untrusted text. */
  readonly person: string | undefined
  /** Initial value of the email field: untrusted text. */
  readonly email: string | undefined
  /** The form that failed. It shows the notice. */
  readonly failed: FormModel | undefined
  readonly notice: Children
  /** Whether what was typed into the form that failed was refused. */
  readonly isInvalid: boolean
  /** What was typed into it, by field name: untrusted text. */
  readonly typed: Readonly<Record<string, string>> | undefined
}
