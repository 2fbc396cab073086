import type { Completion, SignInResponse } from "./completion.js"
import { goTo } from "./go-to.js"

/** Sends the browser on, unless the page is to stay. */
export function arrive(
  { response, target }: Completion,
  { redirect = true }: { readonly redirect?: boolean },
): SignInResponse | undefined {
  if (!redirect) return response
  goTo(target)
  return undefined
}
