import { InvalidConfiguration, MissingAdapter } from "../../errors/errors.js"
import { readCookies } from "../../http/cookies.js"
import type { AuthRequest } from "../../http/request.js"
import { openService } from "../../open-service.js"
import { getOwn } from "../feature.js"
import type { HostConfig } from "../functions.js"
import type { OwnArea } from "./names.js"

/**
 * Deletes the users who asked for it `deleteAfterDays` ago. Call it once a day; several processes may do so at once. It calls
 * `beforeDelete` again. If that keeps a user, the log records `deletion-postponed`, and the next call asks again.
 * @param address The public address of your app, for the mail that tells the user, such as `https://app.example`.
 * @returns how many users it deleted
 * @throws AuthError when the configuration is invalid or without `accountArea`, or the store or `beforeDelete` fails; the next
 *   call deletes the users that are left
 * @throws TypeError if the address is not a URL
 */
export async function deleteDueUsers(config: HostConfig, address: string | URL): Promise<number> {
  const url = new URL(address)
  const { context } = await openService(new Request(url), config)
  const own = getOwn<OwnArea>(context, "accountArea")
  if (!own) {
    throw new InvalidConfiguration(
      "accountArea: missing, and its beforeDelete may keep users. Write accountArea: accountArea()",
    )
  }
  const { store } = context
  if (!store?.has("listAccountChanges"))
    throw new MissingAdapter("account.deleteAfterDays: needs an adapter with listAccountChanges")
  const { deleteDue } = await import("./deletion.js")
  const request: AuthRequest = {
    headers: new Headers(),
    method: "POST",
    url,
    route: "account/delete",
    providerId: undefined,
    body: undefined,
    cookies: readCookies(null),
    context: {},
  }
  return deleteDue({ request, context, store }, own)
}
