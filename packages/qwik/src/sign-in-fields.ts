import type { SignInRequest } from "@latchkey/core/integration"

type Fields = Readonly<Record<string, unknown>>

/**
 * What `useSignIn` was given: by `submit`, or by a form, whose field names Qwik City takes apart at their dots. Options
 * and what the provider asks for may stand below `options` or beside it; only texts count.
 */
export function toSignInRequest(given: Fields): SignInRequest & { readonly redirectTo: string | undefined } {
  const { options, authorizationParams, ...rest } = given
  const { providerId, redirectTo, callbackUrl, ...fields } = { ...toTexts(rest), ...toTexts(options) }
  return {
    providerId: providerId || undefined,
    redirectTo: redirectTo || callbackUrl || undefined,
    fields,
    authorizationParams: toTexts(authorizationParams),
  }
}

function toTexts(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  )
}
