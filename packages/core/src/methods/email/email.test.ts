import { describe, expect, it } from "vitest"
import { resolveConfig } from "../../config/resolve.js"
import { validateConfig } from "../../config/validate.js"
import type { AuthConfig } from "../../types/config.js"

const toNull = () => null
const adapter = { createVerificationToken: toNull, useVerificationToken: toNull, getUserByEmail: toNull }

/** The mistake in the options of an email provider. */
function validate(options: object) {
  const provider = { id: "email", name: "E", type: "email", sendVerificationRequest: () => {}, ...options }
  const config: object = { providers: [provider], adapter, secret: "0123456789-0123456789-0123456789", trustHost: true }
  return validateConfig(resolveConfig(config as AuthConfig, { isProduction: true })) // as: the tests pass wrong values
}

describe("the options of an email provider", () => {
  it.each([1, "true", null, {}, 6])("rejects code: %j", (code) => {
    expect(validate({ code })?.message).toMatch(/^providers\.email\.code: must be true or false/)
  })

  it.each([
    { opening: "link" },
    { opening: true },
    { opening: null },
    { opening: "CONFIRM", code: true },
    { opening: "code" },
    { opening: "code", code: false },
  ])("rejects %j", (options) => {
    expect(validate(options)?.message).toMatch(
      /^providers\.email\.opening: must be confirm, get, or \(with code: true\) code/,
    )
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e15, "3600", null])("rejects maxAge: %j", (maxAge) => {
    expect(validate({ maxAge })?.message).toMatch(/^providers\.email\.maxAge: must be a number of seconds above 0/)
  })

  it.each([
    {},
    { maxAge: 0.5 },
    { maxAge: undefined },
    { code: true },
    { code: false, opening: "get" },
    { opening: "confirm" },
    { code: true, opening: "confirm" },
    { code: true, opening: "code" },
  ])("accepts %j", (options) => {
    expect(validate(options)).toBeNull()
  })
})
