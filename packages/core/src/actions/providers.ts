import type { PublicProvider } from "../contract/provider.js"
import { json, type Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { noStore } from "./no-store.js"

/** `GET /providers`: what a client may know of each configured provider, by id and in the configured order. */
export function listProviders(
  visit: Visit,
  { providers, actionUrl }: Pick<ActionNeeds, "providers" | "actionUrl">,
): Reply {
  const list: Record<string, PublicProvider> = {}
  for (const { id, name, type } of providers.values()) {
    const signinUrl = actionUrl(visit, `signin/${id}`)
    const callbackUrl = actionUrl(visit, `callback/${id}`)
    list[id] = { id, name, type, signinUrl, callbackUrl }
  }
  return json(list, { headers: noStore })
}
