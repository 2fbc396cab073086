/**
 * Why a sign-in ended on an error page with `Configuration`, although the service works:
 * - `stale-flow`: it took too long, began in another browser, or was completed before
 * - `invalid-link`: the link is wrong, for example because it names an unknown provider
 * - `not-set-up`: the provider that the visitor chose lacks an option
 */
export type ErrorReason = "stale-flow" | "invalid-link" | "not-set-up"

const reasons: readonly string[] = ["stale-flow", "invalid-link", "not-set-up"] satisfies readonly ErrorReason[]

/** The reference cookie, as `actions/reference.ts` writes it. */
const cookie = /(?:^|;) *(?:__Secure-)?authjs\.error-reference=([^;]+)/
const content = /^[0-9A-Z]{4}-[0-9A-Z]{2}:([A-Za-z]+):[\w.~-]*:([\w.~-]*)$/

/**
 * Tells an error page of your own, on the server, whether the visitor can simply sign in again. Null if the service may be
 * misconfigured, and for any other error. A visitor can forge it: show a sentence, and decide nothing by it.
 * @param headers The headers of the request for the page.
 * @param error The `error` in its query.
 * @example findErrorReason(request.headers, url.searchParams.get("error")) === "stale-flow"
 */
export function findErrorReason(headers: Pick<Headers, "get">, error: string | null | undefined): ErrorReason | null {
  const [, value = ""] = cookie.exec(headers.get("cookie") ?? "") ?? []
  const [, shown, detail = ""] = content.exec(value.replaceAll(/%3A/gi, ":")) ?? []
  // as: one of the list.
  return error === "Configuration" && shown === error && reasons.includes(detail) ? (detail as ErrorReason) : null
}
