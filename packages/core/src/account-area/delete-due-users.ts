import { MissingAdapter } from "../errors/errors.js"
import { readCookies } from "../http/cookies.js"
import type { AuthRequest } from "../http/request.js"
import { type HostConfig, openService } from "../open-service.js"
import type { DeletionSettings } from "./deletion.js"

/**
 * Deletes the users who asked for it `deleteAfterDays` ago: call it once a day. Several processes may do so at once. Asks
 * `beforeDelete` again: a user whom it keeps is recorded (`deletion-postponed`), and asked for again by the next call.
 * @param address The public address of your app, for the mail that tells the user, such as `https://app.example`.
 * @returns how many users it deleted
 * @throws AuthError when the configuration is invalid, or the store fails; users that are left are deleted by the next call
 * @throws TypeError if the address is no URL
 */
export async function deleteDueUsers(config: HostConfig, address: string | URL): Promise<number> {
  const url = new URL(address)
  const { context } = await openService(new Request(url), config)
  const { store } = context
  if (!store?.has("listAccountChanges")) throw new MissingAdapter("account.deleteAfterDays: the adapter keeps no plans")
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
  // as: only `accountArea()` makes it.
  return deleteDue({ request, context, store }, (config.account ?? {}) as DeletionSettings)
}
