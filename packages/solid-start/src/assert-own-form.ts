import { MissingCSRF } from "@latchkey/core/errors"

/**
 * SolidStart runs a server function for the forms of every site, and by GET for every link. Browsers say where a form
 * came from, and no page can make them say nothing; that an `Origin` is the app's own is looked at by the core.
 * @throws MissingCSRF unless the request is a form whose origin is known
 */
export function assertOwnForm({ method, headers }: Pick<Request, "method" | "headers">): void {
  if (method !== "POST")
    throw new MissingCSRF(`The action was called by ${method}: only forms of the app, by POST, may`)
  if (headers.has("origin") || headers.get("sec-fetch-site") === "same-origin") return
  throw new MissingCSRF("The form does not say where it came from: neither Origin nor Sec-Fetch-Site: same-origin")
}
