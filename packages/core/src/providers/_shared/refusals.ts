import type { ResponseFields } from "./request.js"

/**
 * A `token.conform` for vendors with an error of their own for a code or refresh token that is not valid. It becomes the
 * error of RFC 6749 section 5.2, after which users are asked to sign in again. Any other response stays as it is.
 */
export function conformRefusals(
  isRefusal: (fields: ResponseFields) => boolean,
): (response: Response) => Promise<Response | undefined> {
  return async (response) => {
    const fields: unknown = await response.json().catch(() => null)
    return isRefusal(Object(fields)) ? Response.json({ error: "invalid_grant" }, { status: 400 }) : undefined
  }
}
