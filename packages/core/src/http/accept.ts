import type { IncomingHeaders } from "../types/http.js"
import { wantsRedirectAsJson } from "./response.js"

/** The format that an `Accept` header prefers. Null if it does not say: it is missing, or accepts both alike. */
export function findPreferred(accept: string | null | undefined): "page" | "json" | null {
  const ranges = (accept ?? "").split(",").map(parseRange)
  const [page, json] = [findQuality(ranges, "text/html"), findQuality(ranges, "application/json")]
  if (page === json) return null
  return page > json ? "page" : "json"
}

/**
 * Whether to answer with a page, on every route beyond the contract. If `Accept` does not say, a request with a JSON body or
 * with `X-Auth-Return-Redirect` gets JSON, and any other a page.
 */
export function isPage({ headers }: { readonly headers: Pick<IncomingHeaders, "get" | "has"> }): boolean {
  const preferred = findPreferred(headers.get("accept"))
  if (preferred !== null) return preferred === "page"
  const [type] = headers.get("content-type")?.split(";", 1) ?? []
  return type?.trim().toLowerCase() !== "application/json" && !wantsRedirectAsJson({ headers })
}

/** The request headers that the format of an answer depends on. */
export const varyByFormat = { vary: "Accept, X-Auth-Return-Redirect" } as const

interface MediaRange {
  readonly name: string
  readonly quality: number
}

/** The quality of a media type: that of the most specific range that matches it (RFC 9110 section 12.5.1). */
function findQuality(ranges: readonly MediaRange[], type: string): number {
  for (const name of [type, `${type.split("/", 1)[0]}/*`, "*/*"]) {
    const range = ranges.find((one) => one.name === name)
    if (range) return range.quality
  }
  return 0
}

function parseRange(text: string): MediaRange {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  const quality = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1)
  return { name, quality: quality >= 0 ? Math.min(quality, 1) : 0 }
}
