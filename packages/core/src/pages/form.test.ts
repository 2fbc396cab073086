import { describe, expect, it } from "vitest"
import { fieldAttributes } from "./form.js"

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

  it("keeps the host's autocomplete", () => {
    expect(fieldAttributes("password", { type: "password", autoComplete: "new-password" })).toEqual({
      type: "password",
      autocomplete: "new-password",
    })
  })

  it("adds no hints to a field with an unknown name", () => {
    expect(fieldAttributes("constructor", { value: "x" })).toEqual({ type: "text", value: "x" })
  })
})
