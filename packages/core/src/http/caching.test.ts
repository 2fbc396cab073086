import { describe, expect, it } from "vitest"
import { forbidSharedCaching, forbidSharedCachingFromNowOn } from "./caching.js"

function restricted(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const headers = new Headers(given)
  forbidSharedCaching(headers)
  return Object.fromEntries(headers)
}

describe("forbidSharedCaching", () => {
  it.each([
    "",
    "public, max-age=600",
    "max-age=5, stale-while-revalidate=604800",
    "s-maxage=31536000",
    "no-cache",
    'private="x-name", max-age=60',
    "private, s-maxage=60",
    "private, Public",
    "must-understand, no-store, max-age=60",
    "x-private",
  ])("replaces Cache-Control: %s", (value) => {
    expect(restricted(value === "" ? {} : { "cache-control": value })).toEqual({ "cache-control": "private, no-store" })
  })

  it.each(["private", "Private, max-age=60", "no-store", "no-cache, no-store, must-revalidate"])(
    "keeps Cache-Control: %s",
    (value) => {
      expect(restricted({ "cache-control": value })).toEqual({ "cache-control": value })
    },
  )

  it.each([
    "CDN-Cache-Control",
    "Vercel-CDN-Cache-Control",
    "Cloudflare-CDN-Cache-Control",
    "Netlify-CDN-Cache-Control",
    "Surrogate-Control",
    "Fastly-Surrogate-Control",
    "X-Accel-Expires",
    "Edge-Control",
    "X-LiteSpeed-Cache-Control",
    "Expires",
  ])("removes %s, which shared caches prefer", (name) => {
    expect(restricted({ [name]: "max-age=600", "cache-control": "private", vary: "accept" })).toEqual({
      "cache-control": "private",
      vary: "accept",
    })
  })
})

describe("forbidSharedCachingFromNowOn", () => {
  it("corrects what is set later, and leaves other headers alone", () => {
    const headers = new Headers()
    forbidSharedCachingFromNowOn(headers)
    forbidSharedCachingFromNowOn(headers)
    headers.set("Cache-Control", "public, s-maxage=600")
    headers.append("Cache-Control", "public, max-age=600")
    headers.set("Surrogate-Control", "max-age=600")
    headers.append("Vary", "accept")
    headers.append("Vary", "cookie")
    expect(Object.fromEntries(headers)).toEqual({ "cache-control": "private, no-store", vary: "accept, cookie" })
    headers.set("cache-control", "private, max-age=5")
    expect(headers.get("cache-control")).toBe("private, max-age=5")
  })

  it("stays when the header is deleted, as Qwik City does for a 301, which caches store without it", () => {
    const headers = new Headers()
    forbidSharedCachingFromNowOn(headers)
    headers.delete("Cache-Control")
    expect(Object.fromEntries(headers)).toEqual({ "cache-control": "private, no-store" })
  })
})
