// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from "vitest"
import { PasskeyError, toPasskeyError } from "./passkey-error.js"

const thrown = (name: string): DOMException => new DOMException("a technical message", name)

afterEach(() => {
  Reflect.deleteProperty(document, "featurePolicy")
})

describe("toPasskeyError", () => {
  it.each([
    ["NotAllowedError", "authenticate", "cancelled"],
    ["NotAllowedError", "register", "cancelled"],
    ["InvalidStateError", "register", "already-registered"],
    ["InvalidStateError", "authenticate", "failed"],
    ["ConstraintError", "register", "no-authenticator"],
    ["NotSupportedError", "register", "no-authenticator"],
    ["SecurityError", "authenticate", "wrong-site"],
    ["AbortError", "authenticate", "aborted"],
    ["UnknownError", "authenticate", "failed"],
    ["constructor", "authenticate", "failed"],
  ] as const)("converts %s of %s to the code %s", (name, action, code) => {
    const cause = thrown(name)
    const error = toPasskeyError(cause, action)
    expect([error.code, error.name, error.cause]).toEqual([code, "PasskeyError", cause])
  })

  it.each([
    ["authenticate", "publickey-credentials-get"],
    ["register", "publickey-credentials-create"],
  ] as const)("distinguishes a page that may not %s from a user who cancels", (action, permission) => {
    const allowsFeature = (name: string): boolean => name !== permission
    Object.defineProperty(document, "featurePolicy", { configurable: true, value: { allowsFeature } })
    expect(toPasskeyError(thrown("NotAllowedError"), action).code).toBe("not-allowed")
    const other = action === "register" ? "authenticate" : "register"
    expect(toPasskeyError(thrown("NotAllowedError"), other).code).toBe("cancelled")
  })

  it("returns a PasskeyError unchanged", () => {
    const error = new PasskeyError("network")
    expect(toPasskeyError(error, "register")).toBe(error)
  })

  it.each([undefined, null, "text", {}, { name: 7 }])("converts %j to the code failed", (cause) => {
    expect(toPasskeyError(cause, "register").code).toBe("failed")
  })

  it("has a message for the user, without the original one", () => {
    const { message } = toPasskeyError(thrown("SecurityError"), "register")
    expect(message).toBe("Passkeys do not work at this address. Open the site at its usual address and try again.")
  })
})
