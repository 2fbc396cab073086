import { describe, expect, it } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import { AccessDenied } from "../errors/errors.js"
import { createRecentFailures, describeFailure } from "./recent-failures.js"

describe("createRecentFailures", () => {
  it("keeps nothing in production", () => {
    const failures = createRecentFailures({ isProduction: true })
    const error = new AccessDenied("no")
    failures.remember(error)
    expect(failures.find(error.reference)).toBeUndefined()
  })

  it("finds the last fifty by reference", () => {
    const failures = createRecentFailures({ isProduction: false })
    const errors = Array.from({ length: 60 }, (_, n) => new AccessDenied(`no ${n}`))
    for (const error of errors) failures.remember(error)
    const found = errors.map(({ reference }) => failures.find(reference)?.message)
    expect(found).toEqual(errors.map(({ message }, n) => (n < 10 ? undefined : message)))
    expect(failures.find("")).toBeUndefined()
  })
})

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
