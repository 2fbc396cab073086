import { describe, expect, it } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import { AccessDenied } from "../errors/errors.js"
import { describeFailure } from "./describe-failure.js"

describe("describeFailure", () => {
  it("lists each cause once", () => {
    const inner = new Error("connection refused", { cause: new Error("ECONNREFUSED") })
    const error = new AccessDenied("the store is away", { err: new AuthError("no answer", inner) })
    expect(describeFailure(error)).toEqual({
      type: "AccessDenied",
      message: "the store is away",
      causes: ["no answer", "connection refused", "ECONNREFUSED"],
    })
    expect(describeFailure(new AccessDenied(new Error("same"))).causes).toEqual([])
  })

  it("stops at circular causes", () => {
    const circle = new Error("round")
    circle.cause = circle
    expect(describeFailure(new AccessDenied("no", circle)).causes).toEqual(["round"])
  })
})
