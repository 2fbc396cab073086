/** @jsxImportSource #markup */
import fc from "fast-check"
import { h, Fragment as PreactFragment } from "preact"
import { renderToString as renderWithPreact } from "preact-render-to-string"
import { describe, expect, it } from "vitest"
import { type Children, Fragment, jsx, renderToString } from "./jsx-runtime.js"

interface Tree {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string | number | boolean | null | undefined>>
  readonly children: readonly (Tree | string | number | boolean | null | undefined)[]
}

const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."\"'<>&;#/= \n") }))
const { tree } = fc.letrec<{ readonly tree: Tree }>((tie) => ({
  tree: fc.record({
    tag: fc.constantFrom("div", "p", "form", "span", "fragment"),
    attributes: fc.dictionary(
      fc.constantFrom("title", "hidden", "data-x", "aria-busy", "maxlength", "value", "d"),
      fc.oneof(text, fc.boolean(), fc.nat(), fc.constantFrom(null, undefined)),
    ),
    children: fc.array(fc.oneof({ maxDepth: 3 }, text, tie("tree"), fc.nat(), fc.constantFrom(null, true)), {
      maxLength: 4,
    }),
  }),
}))

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null

function toMarkup({ tag, attributes, children }: Tree): ReturnType<typeof jsx> {
  const content = children.map((child): Children => (isTree(child) ? toMarkup(child) : child))
  return tag === "fragment" ? jsx(Fragment, { children: content }) : jsx(tag, { ...attributes, children: content })
}

function toPreact({ tag, attributes, children }: Tree): ReturnType<typeof h> {
  const content = children.map((child) => (isTree(child) ? toPreact(child) : child))
  return tag === "fragment" ? h(PreactFragment, null, content) : h(tag, attributes, content)
}

describe("jsx", () => {
  it("writes what Preact writes, for any tree", () => {
    fc.assert(
      fc.property(tree, (root) => {
        expect(renderToString(toMarkup(root))).toBe(renderWithPreact(toPreact(root)))
      }),
    )
  })

  it("writes elements without content as one tag", () => {
    expect(renderToString(<input type="text" name="a" required={false} disabled />)).toBe(
      '<input type="text" name="a" disabled/>',
    )
  })

  it("writes an isolated text as a bdi, and as text in attributes and titles", () => {
    const text = "to \u2068<b>@x\u2069, \u2068alone"
    expect(renderToString(<p>{text}</p>)).toBe("<p>to <bdi>&lt;b>@x</bdi>, \u2068alone</p>")
    expect(renderToString(<p title={text} />)).toBe('<p title="to \u2068&lt;b>@x\u2069, \u2068alone"></p>')
    expect(renderToString(<title>{text}</title>)).toBe("<title>to \u2068&lt;b>@x\u2069, \u2068alone</title>")
  })

  it("escapes objects that only look like an element", () => {
    const forged: unknown = { html: "<script>1</script>", type: "script", props: {} }
    expect(renderToString(<p>{forged as Children}</p>)).toBe("<p></p>")
  })

  it.each(['x"><script', "a b", "on=1", "", "x/"])("drops the attribute name %j", (name) => {
    expect(renderToString(<p {...{ [name]: "1" }}>a</p>)).toBe("<p>a</p>")
  })
})
