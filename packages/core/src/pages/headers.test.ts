import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pageHeaders } from "./headers.js"

function policyOf(headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const directives = (headers["content-security-policy"] ?? "").split("; ")
  return new Map(
    directives.map((directive) => [directive.split(" ", 1)[0] ?? "", directive.split(" ").slice(1).join(" ")]),
  )
}

describe("pageHeaders", () => {
  it("allows no script, no frame, no base and nothing inline", () => {
    const policy = policyOf(pageHeaders())
    expect(policy.get("default-src")).toBe("'none'")
    expect(policy.get("base-uri")).toBe("'none'")
    expect(policy.get("frame-ancestors")).toBe("'none'")
    expect(policy.get("style-src")).toBe("'self'")
    expect(policy.has("script-src")).toBe(false)
    expect(pageHeaders()["content-security-policy"]).not.toContain("unsafe")
  })

  it("lets the service's own script run and ask the service, where pages have one, and nothing else", () => {
    const policy = policyOf(pageHeaders({ runsScript: true }))
    expect([policy.get("script-src"), policy.get("connect-src")]).toEqual(["'self'", "'self'"])
    expect(policyOf(pageHeaders()).has("connect-src")).toBe(false)
    expect(pageHeaders({ runsScript: true })["content-security-policy"]).not.toContain("unsafe")
  })

  it("keeps pages out of caches and frames, and keeps the origin on forms", () => {
    expect(pageHeaders()).toMatchObject({
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
    })
  })

  it("allows the origins of logos once each, and no other", () => {
    const logos = ["https://cdn.example/a.png", "https://cdn.example/b.png", "/logo.svg", undefined, "data:image/png,x"]
    expect(policyOf(pageHeaders({ logos })).get("img-src")).toBe("'self' data: https://cdn.example")
    expect(policyOf(pageHeaders()).get("img-src")).toBe("'self' data:")
  })

  it("lets forms end at https and at the plain origins that are named", () => {
    const formTargets = [
      "https://github.com/login",
      "http://127.0.0.1:4000/authorize?x=1",
      "http://[::1]:4000/",
      "javascript:1",
    ]
    expect(policyOf(pageHeaders({ formTargets })).get("form-action")).toBe(
      "'self' https: http://127.0.0.1:4000 http://[::1]:4000",
    )
  })

  it("lets no address write a directive of its own", () => {
    const names = [...policyOf(pageHeaders()).keys()]
    const host = fc.oneof(
      fc.string(),
      fc.constantFrom("a;script-src *", "a;b.test", "*.test", "a,b", "'unsafe-inline'"),
    )
    fc.assert(
      fc.property(host, (text) => {
        const addresses = [text, `http://${text}/x`, `https://${text}`]
        const policy = policyOf(pageHeaders({ logos: addresses, formTargets: addresses }))
        expect([...policy.keys()]).toEqual(names)
        const sources = `${policy.get("img-src")} ${policy.get("form-action")}`
        expect(sources).not.toMatch(/[*,;]|unsafe/)
      }),
    )
  })
})
