import type { FactorView, TotpSetup as ServerTotpSetup } from "@latchkey/core/second-factors"
import type { SessionView } from "@latchkey/core/sessions"
import { expectTypeOf, it } from "vitest"
import type {
  AccountError,
  AccountFactor,
  AccountFailure,
  AccountSession,
  ActionResult,
  TotpSetup,
} from "../src/account/index.js"

/** What a value is after `JSON.stringify` and `JSON.parse`. */
type Json<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: Json<Value[Key]> }
    : Value

it("has the shapes that the service answers with", () => {
  expectTypeOf<Json<SessionView>>().toEqualTypeOf<AccountSession>()
  expectTypeOf<Json<FactorView>>().toEqualTypeOf<AccountFactor>()
  expectTypeOf<ServerTotpSetup>().toEqualTypeOf<TotpSetup>()
})

it("tells results and failures apart", () => {
  const read = ({ error, answer }: ActionResult<{ removed: number }>) => {
    if (!error) return expectTypeOf(answer).toEqualTypeOf<{ removed: number }>()
    expectTypeOf(answer).toEqualTypeOf<null>()
    if (error.code === "confirm") return expectTypeOf(error.confirmUrl).toEqualTypeOf<string>()
    if (error.code === "refused") return expectTypeOf(error.reason).toEqualTypeOf<AccountError["reason"]>()
    return expectTypeOf(error).toExtend<AccountFailure>()
  }
  expectTypeOf(read).toBeFunction()
})
