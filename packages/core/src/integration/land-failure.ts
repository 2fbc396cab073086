import { AuthError, getErrorPage } from "../errors/auth-error.js"
import { CredentialsSignin } from "../errors/errors.js"
import { withQuery } from "../http/response.js"
import { createLog } from "../log/log.js"
import type { Settings } from "./settings.js"

/** What has told the log already when it is thrown. */
const loggedTypes: ReadonlySet<string> = new Set(["AuthError", "UntrustedHost"])

/**
 * Where a visitor goes whose action failed: the page on which the failure lands, as at the endpoints. For frameworks
 * that would show what is thrown to the visitor. The log says what happened.
 * @param redirectTo Where the visitor wanted to go; the sign-in page is told.
 * @throws whatever is not an AuthError, as it is
 */
export function errorPageUrl(error: unknown, { config, basePath }: Settings, redirectTo?: string): string {
  if (!(error instanceof AuthError)) throw error
  if (!loggedTypes.has(error.type)) createLog(config.logger).error(error)
  const { page, error: shown } = getErrorPage(error)
  return withQuery(config.pages?.[page] ?? `${basePath}/${page.toLowerCase()}`, {
    error: shown,
    code: error instanceof CredentialsSignin ? error.code : undefined,
    callbackUrl: page === "signIn" ? redirectTo : undefined,
  })
}
