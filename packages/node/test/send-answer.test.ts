import { describe, expect, it } from "vitest"
import { sendAnswer } from "../src/send-answer.js"
import { serve } from "./serve.js"

const cookies = [
  ["set-cookie", "a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT"],
  ["set-cookie", "b=2; Path=/"],
] as const

describe("sendAnswer", () => {
  it("writes nothing where somebody answered already", async () => {
    const { origin } = await serve((_, res) => {
      res.end("first")
      sendAnswer({ status: 500, headers: [], body: "second" }, res)
    })
    const response = await fetch(origin)
    expect([response.status, await response.text()]).toEqual([200, "first"])
  })

  it("keeps the cookies that were set before, and replaces other headers", async () => {
    const { origin } = await serve((_, res) => {
      res.setHeader("set-cookie", "early=1")
      res.setHeader("x-one", "old")
      sendAnswer({ status: 302, headers: [...cookies, ["x-one", "new"], ["location", "/page"]], body: null }, res)
    })
    const { status, headers } = await fetch(origin, { redirect: "manual" })
    expect([status, headers.get("location"), headers.get("x-one")]).toEqual([302, "/page", "new"])
    expect(headers.getSetCookie()).toEqual(["early=1", ...cookies.map(([, value]) => value)])
  })

  it("says how long the body is, and does not send it for HEAD", async () => {
    const { origin } = await serve((_, res) => sendAnswer({ status: 200, headers: [], body: "päge" }, res))
    const page = await fetch(origin)
    expect([page.headers.get("content-length"), await page.text()]).toEqual(["5", "päge"])
    expect(await (await fetch(origin, { method: "HEAD" })).text()).toBe("")
  })
})
