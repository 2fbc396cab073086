import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { allowsFormAction, type Form, readForms, submitForm } from "./form.js"
import { parseDocument } from "./page.js"

const base = new URL("https://app.test/auth/signin?error=x")

function formOf(html: string): Form {
  const [form] = readForms(parseDocument(html), base)
  if (!form) throw new Error("No form found")
  return form
}

describe("reading a form", () => {
  it("has exactly the entries that a browser sends", () => {
    const form = formOf(`
      <form>
        <input type="hidden" name="csrfToken" value="a&amp;b &quot;c&quot;">
        <input name="plain"><input name="filled" value="1"><input value="nameless">
        <input name="off" value="1" disabled>
        <fieldset disabled><input name="fenced" value="1"></fieldset>
        <input type="checkbox" name="box" value="1"><input type="checkbox" name="ticked" checked>
        <input type="radio" name="way" value="a"><input type="radio" name="way" value="b" checked>
        <select name="first"><option disabled value="no">No</option><option>One  two</option></select>
        <select name="chosen"><option value="1">1</option><option value="2" selected>2</option></select>
        <select name="many" multiple><option selected>x</option><option>y</option><option selected>z</option></select>
        <textarea name="text">\n one &lt; two\n</textarea>
        <input type="file" name="file"><input type="reset" name="reset"><button name="press" value="1">Go</button>
      </form>`)
    expect(form.entries).toEqual([
      ["csrfToken", 'a&b "c"'],
      ["plain", ""],
      ["filled", "1"],
      ["ticked", "on"],
      ["way", "b"],
      ["first", "One two"],
      ["chosen", "2"],
      ["many", "x"],
      ["many", "z"],
      ["text", " one < two\n"],
    ])
  })

  it("includes controls with a form attribute, and leaves out those of other forms", () => {
    const [first, second] = readForms(
      parseDocument(
        '<form id="a"><input name="one"><input name="two" form="b"></form><form id="b"></form><input name="three" form="a">',
      ),
      base,
    )
    expect([first?.names, second?.names]).toEqual([["one", "three"], ["two"]])
  })

  it.each([
    ["", "https://app.test/auth/signin?error=x"],
    ['action=""', "https://app.test/auth/signin?error=x"],
    ['action="signout"', "https://app.test/auth/signout"],
    ['action="https://idp.test/login"', "https://idp.test/login"],
  ])("with the attributes %j goes to %s", (attributes, href) => {
    expect(formOf(`<form ${attributes}></form>`).action.href).toBe(href)
  })
})

describe("submitting a form", () => {
  it("throws for an unknown field or button", () => {
    const form = formOf('<form method="post"><input name="email"><button>Send</button></form>')
    expect(() => submitForm(form, { mail: "x" })).toThrow("no field mail; it has email")
    expect(() => submitForm(form, {}, "Delete")).toThrow("no button Delete; it has Send")
  })

  it("sends hidden fields and the pressed button", () => {
    const form =
      formOf(`<form method="post" action="/go"><input type="hidden" name="csrfToken" value="t"><input name="email">
      <button name="way" value="link">Send a link</button><button name="way" value="code" formaction="/code">Send a code</button></form>`)
    expect(submitForm(form, { email: "ada@example.com" }).body).toBe("csrfToken=t&email=ada%40example.com&way=link")
    const other = submitForm(form, { email: "" }, "Send a code")
    expect([other.url.href, other.body]).toEqual(["https://app.test/code", "csrfToken=t&email=&way=code"])
  })

  it("replaces the query of a GET form's action with its fields", () => {
    const { url, body } = submitForm(formOf('<form action="/find?old=1"><input name="q"></form>'), { q: "a b" })
    expect([url.href, body]).toEqual(["https://app.test/find?q=a+b", null])
  })

  it("sends line breaks as CRLF", () => {
    const form = formOf('<form method="post"><textarea name="text"></textarea></form>')
    expect(submitForm(form, { text: "a\nb" }).body).toBe("text=a%0D%0Ab")
  })

  it("sends multipart forms as FormData", () => {
    const form = formOf('<form method="post" enctype="multipart/form-data"><input name="a" value="1"></form>')
    expect([...(submitForm(form, {}).body as FormData)]).toEqual([["a", "1"]])
  })

  it("encodes any text so that a server decodes the same text", () => {
    const form = formOf('<form method="post"><input name="a"><input name="b"></form>')
    const text = fc.string({ unit: "grapheme" }).map((value) => value.replace(/[\r\n]/g, ""))
    fc.assert(
      fc.property(text, text, (a, b) => {
        const { body } = submitForm(form, { a, b })
        expect([...new URLSearchParams(String(body))]).toEqual([
          ["a", a],
          ["b", b],
        ])
      }),
    )
  })

  it("decodes any value that a page has escaped", () => {
    const escapeHtml = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (value) => {
        expect(formOf(`<form><input name="a" value="${escapeHtml(value)}"></form>`).fields).toEqual({ a: value })
      }),
    )
  })
})

const page = new URL("https://app.test/auth/signin")

describe("allowsFormAction", () => {
  it.each([
    ["form-action 'none'", "https://app.test/x"],
    ["form-action 'self'", "https://idp.test/authorize"],
    ["default-src 'self'; form-action 'self'", "http://app.test/x"],
    ["form-action https://idp.test", "https://evil.test/https://idp.test"],
    ["form-action https://*.idp.test", "https://idp.test/"],
    ["form-action https://*.idp.test", "https://evilidp.test/"],
    ["form-action idp.test", "http://idp.test/"],
    ["form-action https://idp.test", "https://idp.test:8443/"],
    ["form-action *", "javascript:alert(1)"],
    ["form-action https:, form-action 'self'", "https://idp.test/"],
    ["form-action", "https://app.test/"],
  ])("%j forbids %s", (policy, target) => {
    expect(allowsFormAction(policy, page, new URL(target))).toBe(false)
  })

  it.each([
    [null, "https://idp.test/"],
    ["default-src 'none'", "https://idp.test/"],
    ["form-action 'self'", "https://app.test/auth/callback"],
    ["Form-Action 'self' https:", "https://idp.test/"],
    ["form-action https://*.idp.test", "https://a.b.idp.test/"],
    ["form-action https://idp.test:*", "https://idp.test:8443/"],
    ["form-action idp.test/authorize", "https://idp.test/authorize"],
  ])("%j allows %s", (policy, target) => {
    expect(allowsFormAction(policy, page, new URL(target))).toBe(true)
  })
})
