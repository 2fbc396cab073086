import { describe, expect, it } from "vitest"
import { english } from "../messages/locale.js"
import { fieldAttributes } from "./form.js"
import type { FormModel, PasskeyForm } from "./form-model.js"
import { renderPasskeyForm } from "./passkey-form.js"
import { renderSignInPage } from "./sign-in.js"

describe("fieldAttributes", () => {
  it.each([
    "onfocus",
    "onClick",
    "style",
    "formaction",
    "formAction",
    "form",
    "id",
    "name",
    "class",
    "className",
    "src",
    "ref",
    "key",
    "children",
    "dangerouslySetInnerHTML",
    "a b",
    'x"y',
    "x>y",
    "",
    "xlink:href",
    "__proto__x",
  ])("drops the attribute %j", (name) => {
    expect(fieldAttributes("pin", { [name]: "1" })).toEqual({ type: "text" })
  })

  it("keeps safe attributes, in lower case", () => {
    expect(
      fieldAttributes("pin", { type: "tel", maxLength: 6, required: true, "data-x": "y", "aria-label": "PIN" }),
    ).toEqual({
      type: "tel",
      maxlength: 6,
      required: true,
      "data-x": "y",
      "aria-label": "PIN",
    })
  })

  it.each([
    ["password", { type: "password" }, "current-password"],
    ["secret", { type: "password" }, "current-password"],
    ["username", {}, "username"],
    ["email", { type: "email" }, "username"],
    ["totp", {}, "one-time-code"],
  ])("sets autocomplete for the field %j", (key, field, autocomplete) => {
    expect(fieldAttributes(key, field)).toMatchObject({ autocomplete })
  })

  it("keeps the app's autocomplete", () => {
    expect(fieldAttributes("password", { type: "password", autoComplete: "new-password" })).toEqual({
      type: "password",
      autocomplete: "new-password",
    })
  })

  it("adds no hints to a field with an unknown name", () => {
    expect(fieldAttributes("constructor", { value: "x" })).toEqual({ type: "text", value: "x" })
  })
})

const frame = {
  theme: {},
  siteName: "app.example",
  siteUrl: "https://app.example",
  stylesheetUrl: "/auth/style.css?v=1",
  locale: english,
}
const passkey: PasskeyForm = {
  kind: "passkey",
  id: "passkey",
  name: "a passkey",
  callbackUrl: "/auth/callback/passkey",
  fields: { email: { label: "Email", autocomplete: "username webauthn", required: true } },
  scriptUrl: "/auth/webauthn.js?v=1",
  isDiscoverable: true,
  hasAutofill: true,
  canSignUp: true,
  render: renderPasskeyForm,
}
const email: FormModel = { kind: "email", id: "mail", name: "email", signinUrl: "/auth/signin/mail" }
const password: FormModel = {
  kind: "fields",
  id: "password",
  name: "password",
  callbackUrl: "/auth/callback/password",
  fields: { username: {}, nickname: {}, password: { type: "password" } },
}

const render = (...providers: readonly FormModel[]): string =>
  renderSignInPage(
    { providers, signInUrl: "/auth/signin", csrfToken: "t0ken", callbackUrl: "https://app.example/a" },
    frame,
  )
const tags = (html: string, name: string): readonly string[] => html.match(new RegExp(`<${name}[ >][^>]*`, "g")) ?? []
const inputNamed = (html: string, name: string): string =>
  tags(html, "input").find((tag) => tag.includes(` name="${name}"`)) ?? "missing"

describe("the passkey form", () => {
  it("is disabled until the script has loaded, and explains why if scripts are off", () => {
    const html = render(passkey, email)
    const buttons = tags(html, "button").filter((tag) => tag.includes('name="action"'))
    expect(buttons.map((tag) => tag.includes(" disabled"))).toEqual([true, true])
    expect(html).toMatch(/<noscript><p class="quiet">To sign in with a passkey, turn on JavaScript/)
  })

  it("leaves all other forms unchanged and usable without scripts", () => {
    const html = render(passkey, email, password)
    const others = tags(html, "form").filter((tag) => !tag.includes("data-passkey"))
    expect(others).toEqual([
      '<form class="form" action="/auth/signin/mail" method="post"',
      '<form class="form" action="/auth/callback/password" method="post"',
    ])
  })

  it("loads the service's script once, and only on pages with passkeys", () => {
    expect(tags(render(passkey, { ...passkey, id: "other" }, email), "script")).toEqual([
      '<script src="/auth/webauthn.js?v=1" defer',
    ])
    expect(render(email, password)).not.toMatch(/<script|data-passkey/)
  })

  it("has an empty, hidden alert for the messages of the script", () => {
    expect(render(passkey)).toContain('<div class="notice" role="alert" data-passkey-message="true" hidden></div>')
  })

  it("has no visible field for signing in with a discoverable passkey", () => {
    const html = render(passkey, email)
    const form = html.slice(html.indexOf('id="passkey-form"'), html.indexOf("<details"))
    expect(form).toContain('name="action" value="authenticate"')
    expect(form).toContain("Sign in with a passkey<")
    expect(tags(form, "input").every((tag) => tag.includes('type="hidden"'))).toBe(true)
  })

  it("collapses the sign-up form, unless passkeys are the only way to sign in", () => {
    const html = render(passkey, email)
    const fold = html.slice(html.indexOf("<details"), html.indexOf("</details>"))
    expect(fold).toContain("New here? Create a passkey")
    expect(fold).toContain('name="action" value="register"')
    expect(inputNamed(fold, "email")).toMatch(/autocomplete="username webauthn".* required.* data-form-field/)
    expect(tags(html, "details")).toEqual(['<details class="more"'])
    expect(tags(render(passkey), "details")).toEqual(['<details class="more" open'])
  })

  it("asks for the email address first if passkeys are not discoverable", () => {
    const html = render({ ...passkey, isDiscoverable: false }, email)
    expect(html).not.toContain("<details")
    const names = [...html.matchAll(/name="(email|action)"(?: value="(\w+)")?/g)].map(
      ([, name, value]) => value ?? name,
    )
    expect(names).toEqual(["email", "email", "authenticate", "register"])
  })

  it("offers no sign-up if the app disabled it", () => {
    for (const isDiscoverable of [true, false]) {
      expect(render({ ...passkey, isDiscoverable, canSignUp: false }, email)).not.toContain('value="register"')
    }
  })

  it("marks the fields of the other forms for passkey autofill, if it is enabled", () => {
    const html = render(passkey, email, password)
    expect(tags(html, "form").filter((tag) => tag.includes("data-passkey-autofill"))).toHaveLength(2)
    expect(tags(html, "input").filter((tag) => tag.includes('autocomplete="username webauthn"'))).toHaveLength(3)
    expect(inputNamed(html, "nickname")).not.toContain("autocomplete")
    expect(inputNamed(html, "password")).toContain('autocomplete="current-password"')
    const without = render({ ...passkey, hasAutofill: false }, email, password)
    expect(without).not.toContain("data-passkey-autofill")
    expect(inputNamed(without, "username")).toContain('autocomplete="username"')
  })

  it("includes a message for every error of the script", () => {
    const [, attribute = ""] = /data-passkey-texts="([^"]*)"/.exec(render(passkey)) ?? []
    const texts: Record<string, string> = JSON.parse(attribute.replaceAll("&quot;", '"'))
    expect(Object.keys(texts)).toEqual(expect.arrayContaining(["cancelled", "network", "WebAuthnVerificationError"]))
    expect(texts["network"]).toBe("app.example could not be reached. Check your connection and try again.")
    expect(texts["TooManyRequests"]).toBe("There were too many attempts.")
  })
})
