import { describe, expect, it } from "vitest"
import { readSignInForm } from "./sign-in-form.js"

function formOf(...fields: readonly (readonly [string, string | Blob])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

const nothing = { providerId: undefined, redirectTo: undefined, fields: {}, authorizationParams: {} }

describe("readSignInForm", () => {
  it("leaves out files, and takes what is empty for absent", () => {
    expect(readSignInForm(formOf(["providerId", ""], ["redirectTo", ""], ["photo", new Blob(["x"])]))).toEqual(nothing)
    expect(readSignInForm(undefined)).toEqual(nothing)
  })

  it("takes names that every object has for names", () => {
    const { fields } = readSignInForm(formOf(["__proto__", "a"], ["constructor", "b"]))
    expect(Object.entries(fields ?? {})).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ])
  })

  it("tells provider, way back, parameters and fields apart; the last of a name counts", () => {
    const form = formOf(
      ["providerId", "harbour"],
      ["redirectTo", "/in"],
      ["authorizationParams-login_hint", "ada"],
      ["email", "first@example.com"],
      ["email", "last@example.com"],
    )
    expect(readSignInForm(form)).toEqual({
      providerId: "harbour",
      redirectTo: "/in",
      authorizationParams: { login_hint: "ada" },
      fields: { email: "last@example.com" },
    })
  })
})
