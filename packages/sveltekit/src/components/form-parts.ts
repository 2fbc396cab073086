// What the components are made of besides their markup, which finds it as `#form-parts`.
import * as paths from "$app/paths"
import { toAppPath } from "../app-paths.js"
import type { FormOptions, FormProvider, SignInProps } from "./form-props.js"

type Field = readonly [name: string, value: string]

/** Where a form for a page of the app is posted to. */
export function toFormAction(page: string): string {
  return toAppPath(`/${page.replace(/^\/+/, "")}`, paths)
}

/** The hidden fields of a form that signs in. */
export function toSignInFields({ provider, options, authorizationParams }: SignInProps): readonly Field[] {
  const id = typeof provider === "string" ? provider : provider?.id
  const params = [...new URLSearchParams(authorizationParams)]
  return [
    ...(id ? [["providerId", id] as const] : []),
    ...toOptionFields(options),
    ...params.map(([name, value]) => [`authorizationParams-${name}`, value] as const),
  ]
}

/** The hidden fields that the options of a form become. */
export function toOptionFields({ callbackUrl, redirectTo = callbackUrl, ...rest }: FormOptions = {}): readonly Field[] {
  return Object.entries({ redirectTo, ...rest }).filter((field): field is [string, string] => isText(field[1]))
}

/** What a button says of a provider. */
export function toProviderName(provider: FormProvider | undefined): string | undefined {
  return typeof provider === "string" ? provider : (provider?.name ?? provider?.id)
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}
