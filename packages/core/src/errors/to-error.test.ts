import { expect, it } from "vitest"
import { toError } from "./to-error.js"

it("toError keeps an error and does not repeat what else was thrown", () => {
  const error = new TypeError("x")
  expect(toError(error)).toBe(error)
  for (const thrown of ["hunter2", { message: "hunter2" }, undefined, null, Symbol("hunter2")]) {
    expect(toError(thrown)).toBeInstanceOf(Error)
    expect(toError(thrown).message).toBe(`A value of type ${typeof thrown} was thrown`)
  }
})
