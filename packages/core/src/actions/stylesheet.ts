import type { Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"

/** `GET /style.css`: served by the service, so that pages need neither inline style nor anybody else's server. */
export async function showStylesheet(visit: Visit, { stylesheet }: Pick<ActionNeeds, "stylesheet">): Promise<Reply> {
  const { text, version } = await stylesheet()
  const isCurrent = visit.url.searchParams.get("v") === version
  const caching = isCurrent ? "public, max-age=31536000, immutable" : "no-cache"
  return { body: { kind: "css", text }, headers: { "cache-control": caching } }
}
