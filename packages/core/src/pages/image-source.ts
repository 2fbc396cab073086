import { isHttp } from "../web/is-http.js"

/** What an image inside an address may be. SVG is safe here: in an `img` it runs no script and loads nothing. */
const inlineImage = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i

/**
 * The host's logo as an `img` may load it: an http(s) URL or a path. Anything else counts as not given.
 * @param siteUrl The site's origin, to which a path belongs.
 */
export function parseLogo(source: string | undefined, siteUrl: string): string | undefined {
  const logo = source?.trim()
  return logo && isHttp(URL.parse(logo, siteUrl)) ? logo : undefined
}

/** A provider's logo: as `parseLogo`, and also an image that is carried in a `data:` URL. */
export function parseProviderLogo(source: string | undefined, siteUrl: string): string | undefined {
  return inlineImage.test(source?.trim() ?? "") ? source?.trim() : parseLogo(source, siteUrl)
}
