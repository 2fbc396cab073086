import fc from "fast-check"
import { renderToString } from "preact-render-to-string"
import { describe, expect, it } from "vitest"
import { createTemplate, parseLogo, parseProviderLogo } from "./document.js"
import { pageHeaders } from "./headers.js"

function Page({ one, two }: { readonly one: string; readonly two: string }) {
  return (
    <form action={`/x?y=${one}`}>
      <input value={one} title="$& $1 one" />
      <input value={two} />
      <p>{one}</p>
    </form>
  )
}

const render = (texts: { readonly one: string; readonly two: string }) => renderToString(<Page {...texts} />)

describe("a page printed with blanks", () => {
  it("is what rendering it with the values would have made, whatever they hold", () => {
    const fill = createTemplate(["one", "two"], render)
    const text = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.string({ unit: fc.constantFrom(..."\"'<>&$1`\\/ ab"), minLength: 1 }),
    )
    fc.assert(
      fc.property(text, text, (one, two) => {
        expect(fill({ one, two })).toBe(render({ one, two }))
      }),
    )
  })

  it("keeps nothing of a visitor for the next one", () => {
    const fill = createTemplate(["one", "two"], render)
    fill({ one: "first visitor", two: "first visitor" })
    expect(fill({ one: "a", two: "b" })).not.toContain("first visitor")
  })

  it("may have blanks that stand nowhere, and none at all", () => {
    expect(createTemplate(["one"], () => "<p>x</p>")({ one: "y" })).toBe("<p>x</p>")
    expect(createTemplate([], () => "<p>x</p>")({})).toBe("<p>x</p>")
  })
})

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

const site = "https://app.example"

describe("parseLogo", () => {
  it.each([
    "javascript:1",
    " JavaScript:alert(1)",
    "java\nscript:1",
    "vbscript:x",
    "file:///etc/passwd",
    "data:text/html,<script>1</script>",
    "data:image/png;base64,AA==",
    "blob:https://app.example/x",
    "http://",
    "",
  ])("refuses %j", (source) => {
    expect(parseLogo(source, site)).toBeUndefined()
  })

  it.each(["https://cdn.example/logo.png", "http://localhost:3000/logo.svg", "/logo.svg", "logo.svg?v=2"])(
    "takes %j",
    (source) => {
      expect(parseLogo(source, site)).toBe(source)
    },
  )

  it("takes nothing where nothing is given", () => {
    expect(parseLogo(undefined, site)).toBeUndefined()
  })
})

describe("parseProviderLogo", () => {
  it("refuses a data URL that is no image", () => {
    expect(parseProviderLogo("data:text/html,<script>1</script>", site)).toBeUndefined()
    expect(parseProviderLogo("javascript:1//data:image/png,", site)).toBeUndefined()
  })

  it("takes an image in a data URL", () => {
    expect(parseProviderLogo("data:image/svg+xml,%3Csvg/%3E", site)).toBe("data:image/svg+xml,%3Csvg/%3E")
  })

  it("takes what a site's logo may be", () => {
    expect(parseProviderLogo("/github.svg", site)).toBe("/github.svg")
  })
})
