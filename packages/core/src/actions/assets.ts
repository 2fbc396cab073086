import { UnknownAction } from "../errors/errors.js"
import { refuseRequest } from "../features/failure.js"
import type { ActionContext, PageContext } from "../features/feature.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import { findMethod } from "../methods/find-method.js"
import type { PageScript } from "../methods/method.js"
import { passwordScriptVersion } from "../pages/generated/password-script-version.js"
import { waitScriptVersion } from "../pages/generated/wait-script-version.js"

/** `GET /style.css`: the stylesheet of the built-in pages, so that they need no inline styles and no other origin. */
export async function showStylesheet(
  request: AuthRequest,
  { stylesheet }: Pick<PageContext, "stylesheet">,
): Promise<Reply> {
  const { version, text } = await stylesheet()
  const isCurrent = request.url.searchParams.get("v") === version
  const caching = isCurrent ? "public, max-age=31536000, immutable" : "no-cache"
  return { body: { kind: "css", text: await text() }, headers: { "cache-control": caching } }
}

/** `GET /webauthn.js`: the script that completes passkey forms. Unknown if no provider needs it. */
export async function showWebAuthnScript(request: AuthRequest, { providers, log }: ActionContext): Promise<Reply> {
  const [script] = [...providers.values()].flatMap((provider) => findMethod(provider)?.script ?? [])
  if (!script) {
    const refusal = new UnknownAction("There is no such action")
    log.error(refusal, request)
    return refuseRequest(refusal)
  }
  return toScriptReply(script, request)
}

/** `GET /password.js`: the script of pages with a password field. */
export function showPasswordScript(request: AuthRequest): Promise<Reply> {
  const load = async () => (await import("../pages/generated/password-script.js")).passwordScript
  return toScriptReply({ version: passwordScriptVersion, load }, request)
}

/** `GET /wait.js`: the script of pages that wait until an email can be sent again. */
export function showWaitScript(request: AuthRequest): Promise<Reply> {
  const load = async () => (await import("../pages/generated/wait-script.js")).waitScript
  return toScriptReply({ version: waitScriptVersion, load }, request)
}

async function toScriptReply(script: PageScript, request: AuthRequest): Promise<Reply> {
  const isCurrent = request.url.searchParams.get("v") === script.version
  const etag = `"${script.version}"`
  const headers = { "cache-control": isCurrent ? "public, max-age=31536000, immutable" : "no-cache", etag }
  // Pages of hosts request it without a version and revalidate. RFC 9110 section 13.1.2: a list of strong or weak tags.
  if (request.headers.get("if-none-match")?.includes(etag)) return { status: 304, headers }
  return { body: { kind: "js", text: await script.load() }, headers }
}
