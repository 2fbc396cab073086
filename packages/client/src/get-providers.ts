import type { PublicProvider } from "@latchkey/types"
import { readJson } from "./answer.js"
import { type Service, toUnavailable } from "./service.js"

/** What providers there are, by id. */
export type Providers = Readonly<Record<string, PublicProvider>>

/** `GET /providers`. */
export async function getProviders(service: Service): Promise<Providers> {
  const answer = await service.ask(service.address("providers"))
  const content = await readJson(answer)
  if (answer.ok && isList(content)) return content
  throw toUnavailable(answer)
}

/** The contract says what is in it. */
function isList(content: unknown): content is Providers {
  return typeof content === "object" && content !== null && !Array.isArray(content)
}
