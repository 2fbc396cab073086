import fc from "fast-check"
import { renderToString } from "preact-render-to-string"
import { describe, expect, it } from "vitest"
import { printWithBlanks } from "./blanks.js"

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
    const fill = printWithBlanks(["one", "two"], render)
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
    const fill = printWithBlanks(["one", "two"], render)
    fill({ one: "first visitor", two: "first visitor" })
    expect(fill({ one: "a", two: "b" })).not.toContain("first visitor")
  })

  it("may have blanks that stand nowhere, and none at all", () => {
    expect(printWithBlanks(["one"], () => "<p>x</p>")({ one: "y" })).toBe("<p>x</p>")
    expect(printWithBlanks([], () => "<p>x</p>")({})).toBe("<p>x</p>")
  })
})
