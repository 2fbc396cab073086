import type { ResolvedProvider } from "../config/resolved-provider.js"
import type { Theme } from "../contract/theme.js"
import { sha256Hex } from "../crypto/hash.js"

/** The look of the built-in pages, with what the host chose. */
export interface Stylesheet {
  readonly text: string
  /** Changes with the text, so that browsers may keep each version for good. */
  readonly version: string
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
