import { describe, expect, it } from "vitest"
import { isSameAddress } from "./email-trust.js"

describe("isSameAddress", () => {
  it.each([
    ["vera@corp.test", "vera@corp.test"],
    ["Vera@Corp.TEST", "vera@corp.test"],
    ["vera@corp.test", "Vera@corp.test"],
  ])("matches %j with %j", (stored, proved) => {
    expect(isSameAddress(stored, proved)).toBe(true)
  })

  it.each([
    ["v\u00E9ra@corp.test", "vera@corp.test"],
    ["\u212Aim@corp.test", "kim@corp.test"],
    ["vera@corp.test ", "vera@corp.test"],
    ["", "vera@corp.test"],
    [null, "vera@corp.test"],
    [undefined, "vera@corp.test"],
  ])("LINK-05, ADP-13: does not match %j with %j", (stored, proved) => {
    expect(isSameAddress(stored, proved)).toBe(false)
  })
})
