// The props and fields of the components, which import this module as `#form`.
import type { Snippet } from "svelte"
import type { HTMLFormAttributes } from "svelte/elements"
import * as paths from "$app/paths"
import { toAppPath } from "../app-paths.js"

/** Hidden fields of a form. */
export interface FormOptions {
  /** Where to go afterwards: a path of the app, or a URL. Default: the page with the form. */
  readonly redirectTo?: string | undefined
  /** The older name of `redirectTo`. */
  readonly callbackUrl?: string | undefined
  /** A field for the provider, such as a known email address. */
  readonly [field: string]: unknown
}

/** The provider of a form: its id, or its id and name. */
export type FormProvider = string | { readonly id: string; readonly name?: string | undefined }

/** Props of both components. Other attributes are those of the form. */
export interface FormProps extends Omit<HTMLFormAttributes, "action" | "method"> {
  readonly options?: FormOptions | undefined
  /** The content of the button. */
  readonly submitButton?: Snippet | undefined
}

/** Props of `<SignIn>`. Other attributes are those of its form. */
export interface SignInProps extends FormProps {
  /** Default: the user chooses a provider on the sign-in page. */
  readonly provider?: FormProvider | undefined
  /** The page of the app whose default action is `signIn`. Default: `signin`. */
  readonly signInPage?: string | undefined
  /** Added to the provider's authorization URL. */
  readonly authorizationParams?: ConstructorParameters<typeof URLSearchParams>[0]
  /** Inputs for the provider's own fields, such as a user name and a password. */
  readonly credentials?: Snippet | undefined
}

/** Props of `<SignOut>`. Other attributes are those of its form. */
export interface SignOutProps extends FormProps {
  /** The page of the app whose default action is `signOut`. Default: `signout`. */
  readonly signOutPage?: string | undefined
}

type Field = readonly [name: string, value: string]

/** The URL to which a form for a page of the app is posted. */
export function toFormAction(page: string): string {
  return toAppPath(`/${page.replace(/^\/+/, "")}`, paths)
}

/** The hidden fields of a sign-in form. */
export function toSignInFields({ provider, options, authorizationParams }: SignInProps): readonly Field[] {
  const id = typeof provider === "string" ? provider : provider?.id
  const params = [...new URLSearchParams(authorizationParams)]
  return [
    ...(id ? [["providerId", id] as const] : []),
    ...toOptionFields(options),
    ...params.map(([name, value]) => [`authorizationParams-${name}`, value] as const),
  ]
}

/** The hidden fields for the options of a form. Values other than strings and booleans are left out. */
export function toOptionFields({ callbackUrl, redirectTo = callbackUrl, ...rest }: FormOptions = {}): readonly Field[] {
  const fields = Object.entries({ redirectTo, ...rest })
  const isShown = (value: unknown) => typeof value === "string" || typeof value === "boolean"
  return fields.filter(([, value]) => isShown(value)).map(([name, value]) => [name, String(value)])
}

/** The provider's name on the button. */
export function toProviderName(provider: FormProvider | undefined): string | undefined {
  return typeof provider === "string" ? provider : (provider?.name ?? provider?.id)
}
