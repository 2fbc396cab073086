import type { SignInRequest } from "./act.js"

const paramPrefix = "authorizationParams-"

/** What a form of the host asks for: nothing is missing, though it may be undefined. */
export type SignInForm = SignInRequest & { readonly redirectTo: string | undefined }

/**
 * Reads `providerId`, `redirectTo`, `authorizationParams-<name>` and the fields for the provider. Files are left out; of
 * a field that comes twice the last counts.
 */
export function readSignInForm(form: FormData | undefined): SignInForm {
  const texts = [...(form ?? [])].filter((entry): entry is [string, string] => typeof entry[1] === "string")
  const { providerId, redirectTo, ...rest } = Object.fromEntries(texts)
  const fields = Object.entries(rest)
  const params = fields.filter(([name]) => name.startsWith(paramPrefix))
  return {
    providerId: providerId || undefined,
    redirectTo: redirectTo || undefined,
    fields: Object.fromEntries(fields.filter(([name]) => !name.startsWith(paramPrefix))),
    authorizationParams: Object.fromEntries(params.map(([name, value]) => [name.slice(paramPrefix.length), value])),
  }
}
