import { isPageAddress } from "../config/page-address.js"
import type { AuthError } from "../errors/auth-error.js"
import { ErrorPageLoop } from "../errors/configuration.js"
import { UntrustedHost } from "../errors/request.js"
import type { Log } from "../log/log.js"
import { json, type Reply, redirect } from "../web/reply.js"
import { describeHost } from "../web/shown-host.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import { renderError } from "./error.js"
import type { ActionNeeds } from "./needs.js"
import { noStore } from "./no-store.js"
import type { PageNeeds } from "./page.js"
import { describeFailure } from "./recent-failures.js"
import { isLoopback } from "./shown-failure.js"
import { showStylesheet } from "./stylesheet.js"

/** What still works when the configuration does not. */
export type RefusalNeeds = PageNeeds &
  Pick<ActionNeeds, "pages"> & { readonly log: Log; readonly isProduction: boolean }

const pageRoutes: ReadonlySet<string> = new Set(["signin", "signout", "error", "verify-request"])

/** Answers every request while the configuration has a mistake: nothing is done, and the log says what to change. */
export async function refuseConfiguration(found: AuthError, visit: Visit, needs: RefusalNeeds): Promise<Reply> {
  if (visit.route === "style.css") return showStylesheet(visit, needs)
  const mistake = found instanceof UntrustedHost ? withHost(found, visit) : found
  needs.log.error(mistake, visit)
  if (visit.method === "GET" && pageRoutes.has(visit.route)) return showProblem(mistake, visit, needs)
  const message = `There is a problem with the server configuration. The server log has the details (reference ${mistake.reference}).`
  return json({ message }, { status: 500, headers: noStore })
}

/** The configuration is looked at once; which host a request named is seen at each. */
function withHost({ message }: UntrustedHost, { url, request }: Visit): UntrustedHost {
  return new UntrustedHost(`${message}. The request's host is ${describeHost(request.headers, url.host)}`)
}

async function showProblem(mistake: AuthError, visit: Visit, needs: RefusalNeeds): Promise<Reply> {
  const { error: errorPage } = needs.pages
  // What is wrong may be the address of this very page.
  if (errorPage !== undefined && isPageAddress(errorPage)) {
    const address = errorPage.startsWith("/") ? `${visit.url.origin}${errorPage}` : errorPage
    if (!isLoop(visit, errorPage)) return redirect(withQuery(address, { error: "Configuration" }))
    needs.log.error(new ErrorPageLoop(`pages.error: ${errorPage} asks for a session itself. Make it public`), visit)
  }
  const details = !needs.isProduction && isLoopback(visit) ? describeFailure(mistake) : undefined
  const failure = { reference: mistake.reference, ...(details && { details }) }
  return renderError("Configuration", failure, visit, needs)
}

/** A protected error page sends its visitor to sign in, and wants them back. */
function isLoop({ url }: Visit, errorPage: string): boolean {
  const target = url.searchParams.get("callbackUrl")
  return target !== null && (target.startsWith(errorPage) || target.startsWith(`${url.origin}${errorPage}`))
}
