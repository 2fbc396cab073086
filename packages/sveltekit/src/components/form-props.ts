import type { Snippet } from "svelte"
import type { HTMLFormAttributes } from "svelte/elements"

/** Fields that the form carries besides those that are seen. */
export interface FormOptions {
  /** Where to go afterwards, a path of the app or a URL. Default: the page with the form. */
  readonly redirectTo?: string | undefined
  /** The older name of `redirectTo`. */
  readonly callbackUrl?: string | undefined
  /** For the provider, such as an email address that is known already. */
  readonly [field: string]: unknown
}

/** Which provider a form signs in with. */
export type FormProvider = string | { readonly id: string; readonly name?: string | undefined }

/** What both components understand; other attributes are those of the form. */
export interface FormProps extends Omit<HTMLFormAttributes, "action" | "method"> {
  readonly options?: FormOptions | undefined
  /** What stands in the button. */
  readonly submitButton?: Snippet
}

/** What `<SignIn>` understands; other attributes are those of its form. */
export interface SignInProps extends FormProps {
  /** Default: the visitor chooses on the sign-in page. */
  readonly provider?: FormProvider | undefined
  /** The page of the app whose default action is `signIn`. Default: `signin`. */
  readonly signInPage?: string | undefined
  /** For the provider's authorization URL, beside its own. */
  readonly authorizationParams?: ConstructorParameters<typeof URLSearchParams>[0]
  /** Inputs for what the provider asks for, such as a user name and a password. */
  readonly credentials?: Snippet
}

/** What `<SignOut>` understands; other attributes are those of its form. */
export interface SignOutProps extends FormProps {
  /** The page of the app whose default action is `signOut`. Default: `signout`. */
  readonly signOutPage?: string | undefined
}
