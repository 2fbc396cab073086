import { describe, expect, it } from "vitest"
import { actionSetup } from "../../test/action-setup.js"
import { visitTo } from "../../test/visits.js"
import { deferred } from "./deferred.js"

describe("a deferred route", () => {
  it("fails as its loading fails", async () => {
    const route = deferred(() => Promise.reject(new Error("no such file")))
    await expect(route(await visitTo("/auth/error"), actionSetup().needs)).rejects.toThrow("no such file")
  })

  it("is loaded once, also for requests that come together", async () => {
    let loaded = 0
    const route = deferred(async () => {
      loaded++
      return ({ url }) => ({ status: url.pathname.length })
    })
    const { needs } = actionSetup()
    const visits = [await visitTo("/auth/error"), await visitTo("/auth/signin")]
    expect(await Promise.all(visits.map((visit) => route(visit, needs)))).toEqual([{ status: 11 }, { status: 12 }])
    expect(loaded).toBe(1)
  })
})
