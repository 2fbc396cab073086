import { UnknownAction } from "../errors/request.js"
import { webAuthnScriptVersion } from "../pages/generated/webauthn-script-version.js"
import type { Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { refuseRequest } from "./refuse-plainly.js"

/**
 * `GET /webauthn.js`: served by the service, so that pages need neither inline script nor anybody else's server. Where no
 * provider needs it, it is as unknown as any other path.
 */
export async function showWebAuthnScript(
  visit: Visit,
  { providers, log }: Pick<ActionNeeds, "providers" | "log">,
): Promise<Reply> {
  if (![...providers.values()].some(({ type }) => type === "webauthn")) {
    const refusal = new UnknownAction("There is no such action")
    log.error(refusal, visit)
    return refuseRequest(refusal)
  }
  const isCurrent = visit.url.searchParams.get("v") === webAuthnScriptVersion
  const etag = `"${webAuthnScriptVersion}"`
  const headers = { "cache-control": isCurrent ? "public, max-age=31536000, immutable" : "no-cache", etag }
  // Pages of hosts name no version, and ask each time. RFC 9110 section 13.1.2: a list, whose entries may be weak.
  if (visit.request.headers.get("if-none-match")?.includes(etag)) return { status: 304, headers }
  const { webAuthnScript } = await import("../pages/generated/webauthn-script.js")
  return { body: { kind: "js", text: webAuthnScript }, headers }
}

/** Where the current script is found. */
export function webAuthnScriptUrl(visit: Visit, { actionUrl }: Pick<ActionNeeds, "actionUrl">): string {
  return `${actionUrl(visit, "webauthn.js")}?v=${webAuthnScriptVersion}`
}
