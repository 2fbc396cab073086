import { sha256Hex } from "../crypto/hash.js"
import { UnknownAction } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import { findMethod } from "../methods/find-method.js"
import type { Stylesheet } from "../pages/stylesheet.js"
import type { Theme } from "../types/basics.js"
import type { ResolvedProvider } from "../types/resolved.js"
import type { ActionContext, PageContext } from "./context.js"
import { refuseRequest } from "./failure.js"

/** `GET /style.css`: the stylesheet of the built-in pages, so that they need no inline styles and no other origin. */
export async function showStylesheet(
  request: AuthRequest,
  { stylesheet }: Pick<PageContext, "stylesheet">,
): Promise<Reply> {
  const { text, version } = await stylesheet()
  const isCurrent = request.url.searchParams.get("v") === version
  const caching = isCurrent ? "public, max-age=31536000, immutable" : "no-cache"
  return { body: { kind: "css", text }, headers: { "cache-control": caching } }
}

export async function createStylesheet(theme: Theme, providers: Iterable<ResolvedProvider>): Promise<Stylesheet> {
  const { renderStylesheet } = await import("../pages/stylesheet.js")
  const text = renderStylesheet({ theme, providers: [...providers].map(toColors) })
  return { text, version: (await sha256Hex(text)).slice(0, 12) }
}

function toColors(provider: ResolvedProvider): { readonly id: string; readonly brandColor: string | undefined } {
  const style = "style" in provider ? provider.style : undefined
  const brandColor = isStyle(style) ? (style.brandColor ?? style.bg) : undefined
  return { id: provider.id, brandColor: typeof brandColor === "string" ? brandColor : undefined }
}

function isStyle(style: unknown): style is { readonly brandColor?: unknown; readonly bg?: unknown } {
  return typeof style === "object" && style !== null
}

/** `GET /webauthn.js`: the script that completes passkey forms. Unknown if no provider needs it. */
export async function showWebAuthnScript(request: AuthRequest, { providers, log }: ActionContext): Promise<Reply> {
  const [script] = [...providers.values()].flatMap((provider) => findMethod(provider)?.script ?? [])
  if (!script) {
    const refusal = new UnknownAction("There is no such action")
    log.error(refusal, request)
    return refuseRequest(refusal)
  }
  const isCurrent = request.url.searchParams.get("v") === script.version
  const etag = `"${script.version}"`
  const headers = { "cache-control": isCurrent ? "public, max-age=31536000, immutable" : "no-cache", etag }
  // Pages of hosts request it without a version and revalidate. RFC 9110 section 13.1.2: a list of strong or weak tags.
  if (request.headers.get("if-none-match")?.includes(etag)) return { status: 304, headers }
  return { body: { kind: "js", text: await script.load() }, headers }
}
