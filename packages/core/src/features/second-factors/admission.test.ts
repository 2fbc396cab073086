import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AuthMethod } from "../../account/proof.js"
import { countFactors } from "../../account/session-proofs.js"
import { type AdmissionFacts, decideAdmission } from "./admission.js"

const facts: AdmissionFacts = {
  achieved: ["pwd"],
  enrolled: [],
  isDemanded: false,
  hasUnproved: false,
  isDeviceRemembered: false,
}

const decide = (changes: Partial<AdmissionFacts>) => {
  const admission = decideAdmission({ ...facts, ...changes })
  return admission.kind === "hold" ? admission.step : admission.kind
}

describe("decideAdmission", () => {
  it.each<[string, Partial<AdmissionFacts>, string]>([
    ["admits a user without factors", {}, "admit"],
    ["asks a user with a factor for it", { enrolled: ["totp"] }, "second-factor"],
    ["asks after a mailed link", { achieved: ["email"], enrolled: ["totp"] }, "second-factor"],
    ["asks after a provider", { achieved: ["fed"], enrolled: ["totp"] }, "second-factor"],
    ["asks after a key that did not verify its owner", { achieved: ["hwk"], enrolled: ["totp"] }, "second-factor"],
    ["admits a key that verified its owner", { achieved: ["swk", "user"], enrolled: ["totp"] }, "admit"],
    ["admits a password with a code", { achieved: ["pwd", "otp"], enrolled: ["totp"] }, "admit"],
    ["admits a provider with a recovery code", { achieved: ["fed", "rcv"], enrolled: ["totp", "recovery"] }, "admit"],
    ["does not count two first factors", { achieved: ["pwd", "email", "fed"], enrolled: ["totp"] }, "second-factor"],
    ["does not count two codes", { achieved: ["otp", "rcv"], enrolled: ["totp"] }, "second-factor"],
    ["does not ask for recovery codes alone", { enrolled: ["recovery"] }, "admit"],
    ["admits a remembered device", { enrolled: ["totp"], isDeviceRemembered: true }, "admit"],
    ["asks a user to enroll where a factor is demanded", { isDemanded: true }, "enroll"],
    [
      "asks to enroll on a remembered device that has no factor",
      { isDemanded: true, isDeviceRemembered: true },
      "enroll",
    ],
  ])("FAC-01: %s", (_, changes, expected) => {
    expect(decide(changes)).toBe(expected)
  })

  it("FAC-11: asks for what a user has before they enroll, on a remembered device too", () => {
    expect(decide({ isDemanded: true, hasUnproved: true })).toBe("second-factor")
    expect(decide({ isDemanded: true, hasUnproved: true, isDeviceRemembered: true })).toBe("second-factor")
    expect(decide({ hasUnproved: true })).toBe("admit")
  })

  const methods = fc.uniqueArray(fc.constantFrom<AuthMethod>("pwd", "email", "fed", "otp", "rcv", "hwk", "swk", "user"))
  const kinds = fc.uniqueArray(fc.constantFrom("totp" as const, "passkey" as const, "recovery" as const))

  it("FAC-01: never admits one factor where the user has a second one and the device is not remembered", () => {
    fc.assert(
      fc.property(methods, kinds, (achieved, enrolled) => {
        fc.pre(enrolled.some((kind) => kind !== "recovery") && countFactors(achieved) < 2)
        expect(decide({ achieved, enrolled })).toBe("second-factor")
      }),
    )
  })

  it("FAC-01: never becomes more lenient where a factor is demanded", () => {
    const strictness = ["admit", "second-factor", "enroll"]
    fc.assert(
      fc.property(methods, kinds, (achieved, enrolled) => {
        const [none, factor] = [decide({ achieved, enrolled }), decide({ achieved, enrolled, isDemanded: true })]
        expect(strictness.indexOf(factor)).toBeGreaterThanOrEqual(strictness.indexOf(none))
      }),
    )
  })
})
