import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pageHeaders } from "./page.js"

function policyOf(headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const directives = (headers["content-security-policy"] ?? "").split("; ")
  return new Map(
    directives.map((directive) => [directive.split(" ", 1)[0] ?? "", directive.split(" ").slice(1).join(" ")]),
  )
}

describe("pageHeaders", () => {
  it("allows no scripts, frames, base URLs or inline code by default", () => {
    const policy = policyOf(pageHeaders())
    expect(policy.get("default-src")).toBe("'none'")
    expect(policy.get("base-uri")).toBe("'none'")
    expect(policy.get("frame-ancestors")).toBe("'none'")
    expect(policy.get("style-src")).toBe("'self'")
    expect(policy.has("script-src")).toBe(false)
    expect(pageHeaders()["content-security-policy"]).not.toContain("unsafe")
  })

  it("allows only the service's own script and its requests to the service when pages run a script", () => {
    const policy = policyOf(pageHeaders({ runsScript: true }))
    expect([policy.get("script-src"), policy.get("connect-src")]).toEqual(["'self'", "'self'"])
    expect(policyOf(pageHeaders()).has("connect-src")).toBe(false)
    expect(pageHeaders({ runsScript: true })["content-security-policy"]).not.toContain("unsafe")
  })

  it("allows the service's own script, and no request, when pages have a password field", () => {
    const policy = policyOf(pageHeaders({ hasPasswords: true }))
    expect([policy.get("script-src"), policy.has("connect-src")]).toEqual(["'self'", false])
  })

  it("forbids caching and framing, and keeps the Origin header on forms", () => {
    expect(pageHeaders()).toMatchObject({
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
    })
  })

  it("lists each origin of the logos once, and no other origin", () => {
    const logos = ["https://cdn.example/a.png", "https://cdn.example/b.png", "/logo.svg", undefined, "data:image/png,x"]
    expect(policyOf(pageHeaders({ logos })).get("img-src")).toBe("'self' data: https://cdn.example")
    expect(policyOf(pageHeaders()).get("img-src")).toBe("'self' data:")
  })

  it("allows form redirects to https and to the listed http origins", () => {
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

  it("does not let a URL add a directive", () => {
    const names = [...policyOf(pageHeaders()).keys()]
    const host = fc.oneof(
      fc.string(),
      fc.constantFrom("a;script-src *", "a;b.test", "*.test", "a,b", "'unsafe-inline'"),
    )
    fc.assert(
      fc.property(host, (text) => {
        const urls = [text, `http://${text}/x`, `https://${text}`]
        const policy = policyOf(pageHeaders({ logos: urls, formTargets: urls }))
        expect([...policy.keys()]).toEqual(names)
        const sources = `${policy.get("img-src")} ${policy.get("form-action")}`
        expect(sources).not.toMatch(/[*,;]|unsafe/)
      }),
    )
  })
})
