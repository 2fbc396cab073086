import { InvalidRequest } from "../../errors/errors.js"
import { PasswordFormatError } from "../../methods/password/format.js"
import { hashNewPassword } from "../../methods/password/new-password.js"
import { changeAndSignOut, replacePassword } from "../../methods/password/stored.js"
import { openTools } from "../../methods/password/tools.js"
import { openService } from "../../open-service.js"
import { systemClock } from "../../runtime/promise.js"
import type { ActionContext } from "../feature.js"
import type { HostConfig } from "../functions.js"

/**
 * Sets the password of a user, and ends their sessions. Asks for nothing: call it from code of your own, such as that of an
 * administrator.
 * @throws PasswordRefused for a password that the options do not allow; its `code` tells why
 * @throws InvalidRequest if there is no such user, or another request changed the password meanwhile
 */
export async function setPassword(config: HostConfig, userId: string, password: string): Promise<void> {
  const context = await open(config)
  const tools = openTools(context)
  const user = await tools.store.getUser(userId)
  if (!user) throw new InvalidRequest("userId: there is no user with this id")
  const hash = await hashNewPassword(password, user.email, tools, context)
  const former = await tools.store.getPassword(userId)
  const change = () => replacePassword(userId, former, hash, tools.store)
  const event = former ? "passwordChanged" : "passwordSet"
  if (await changeAndSignOut(userId, change, context, { event, request: {} })) return
  throw new InvalidRequest("The password was changed meanwhile. Try again")
}

/**
 * Stores the hash of a former system for a user without a password. It is replaced after the user's next sign-in.
 * @param hash In a format of the options `hash` and `accept`. PHC strings of the format that `hash` writes are kept.
 * @returns false, having stored nothing, for a user who has a password
 * @throws InvalidRequest for a hash of another format, a malformed one, and one with costs that would stop the service
 */
export async function importPassword(config: HostConfig, userId: string, hash: string): Promise<boolean> {
  const context = await open(config)
  const { store, settings } = openTools(context)
  if (typeof hash !== "string" || !settings.hashing.accepts(hash)) {
    throw new InvalidRequest("hash: has none of the formats of `hash` and `accept`. Add its format to `accept`")
  }
  try {
    settings.hashing.assertVerifiable(hash)
  } catch (error) {
    if (error instanceof PasswordFormatError) throw new InvalidRequest(`hash: ${error.message}`)
    throw error
  }
  const isStored = await store.setPassword({ userId, hash, changedAt: new Date(systemClock()), from: null })
  if (isStored) await context.events.send("passwordSet", { userId })
  return isStored
}

async function open(config: HostConfig): Promise<ActionContext> {
  // Any address will do: the cookies of the request are not read. An import calls this a million times, and a `Request` is large.
  return (await openService({ url: "https://localhost/", headers: new Headers() }, config)).context
}
