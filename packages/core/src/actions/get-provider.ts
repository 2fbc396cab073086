import type { ResolvedProvider } from "../config/resolved-provider.js"
import { InvalidProvider } from "../errors/request.js"
import type { ActionNeeds } from "./needs.js"

/** @throws InvalidProvider when no provider has this id */
export function getProvider(id: string | undefined, { providers }: Pick<ActionNeeds, "providers">): ResolvedProvider {
  if (id === undefined) throw new InvalidProvider("The path names no provider")
  const provider = providers.get(id)
  if (!provider) throw new InvalidProvider("No provider has the id in the path")
  return provider
}
