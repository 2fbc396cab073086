/** @jsxImportSource #markup */

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { english } from "../messages/locale.js"
import type { Theme } from "../types/basics.js"
import { createTemplate, createTranslator, parseLogo, parseProviderLogo, renderDocument } from "./document.js"
import { renderToString } from "./markup/jsx-runtime.js"

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

describe("createTemplate", () => {
  it("produces the same page as rendering the values", () => {
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

  it("keeps no value of one user for the next one", () => {
    const fill = createTemplate(["one", "two"], render)
    fill({ one: "first user", two: "first user" })
    expect(fill({ one: "a", two: "b" })).not.toContain("first user")
  })

  it("writes few characters beyond Latin-1 as references, which mean the same, and leaves pages in other scripts", () => {
    const rest = " and more".repeat(20)
    const fill = createTemplate(["one"], ({ one }) => `<p>Sign in – \u{1f680} to ${one} ü${rest}</p>`)
    expect(fill({ one: "–" })).toBe(`<p>Sign in &#8211; &#128640; to – ü${rest}</p>`)
    const arabic = "<p>تسجيل الدخول إلى</p>"
    expect(createTemplate([], () => arabic)({})).toBe(arabic)
  })

  it("accepts placeholders that the page does not use, and a page without placeholders", () => {
    expect(createTemplate(["one"], () => "<p>x</p>")({ one: "y" })).toBe("<p>x</p>")
    expect(createTemplate([], () => "<p>x</p>")({})).toBe("<p>x</p>")
  })
})

const site = "https://app.example"

describe("renderDocument", () => {
  const render = (links: Theme["links"]) => {
    const frame = { theme: { links }, siteName: "App", siteUrl: site, stylesheetUrl: "/style.css", locale: english }
    return renderDocument({ title: "", frame, t: createTranslator(frame), children: "" })
  }

  it("puts the links of the theme below the card, escaped", () => {
    const page = render({ support: 'https://help.example/?a="&b', terms: "/terms" })
    const links = [...page.matchAll(/<a class="link" href="([^"]*)">([^<]*)</g)].map(([, url, text]) => [url, text])
    expect(links).toEqual([
      ["/terms", "Terms of service"],
      ["https://help.example/?a=&quot;&amp;b", "Support"],
    ])
  })

  it.each([undefined, {}, { terms: "javascript:alert(1)", privacy: "data:text/html,x", support: "" }])(
    "has no footer with the links %j",
    (links) => expect(render(links)).not.toContain("<footer"),
  )

  it.each([
    ["", "/"],
    ["/in", "/in"],
    ["//evil.test/x", "//evil.test/x"],
    ["/\\evil.test/x", "//evil.test/x"],
  ])("keeps a link to %j of the app at the app, for a browser that uses another scheme", (path, pathname) => {
    const frame = {
      theme: { colorScheme: "auto" },
      siteName: "App",
      siteUrl: site,
      stylesheetUrl: `${site}/auth/style.css`,
      locale: english,
      isOtherScheme: true,
    } as const
    const page = renderDocument({
      title: "Codes",
      frame,
      t: createTranslator(frame),
      children: <a href={`${site}${path}`}>next</a>,
    })
    const [, href = ""] = /<a href="([^"]*)">next/.exec(page) ?? []
    const { origin, pathname: opened } = new URL(href, "http://app.example")
    expect([origin, opened]).toEqual(["http://app.example", pathname])
  })
})

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
  ])("rejects %j", (source) => {
    expect(parseLogo(source, site)).toBeUndefined()
  })

  it.each(["https://cdn.example/logo.png", "http://localhost:3000/logo.svg", "/logo.svg", "logo.svg?v=2"])(
    "accepts %j",
    (source) => {
      expect(parseLogo(source, site)).toBe(source)
    },
  )

  it("returns undefined without a logo", () => {
    expect(parseLogo(undefined, site)).toBeUndefined()
  })
})

describe("parseProviderLogo", () => {
  it("rejects a data URL that is not an image", () => {
    expect(parseProviderLogo("data:text/html,<script>1</script>", site)).toBeUndefined()
    expect(parseProviderLogo("javascript:1//data:image/png,", site)).toBeUndefined()
  })

  it("accepts an image in a data URL", () => {
    expect(parseProviderLogo("data:image/svg+xml,%3Csvg/%3E", site)).toBe("data:image/svg+xml,%3Csvg/%3E")
  })

  it("accepts a path, like the site's logo", () => {
    expect(parseProviderLogo("/github.svg", site)).toBe("/github.svg")
  })
})
