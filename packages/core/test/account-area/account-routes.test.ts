import { describe, expect, it } from "vitest"
import { ask } from "../setup/requests.js"
import { listOwn, openFactors } from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

describe.each(["/auth/account/factors", "/auth/account/sessions"])("the JSON of %s", (path) => {
  const open = async () => {
    const { host, enroll } = await openFactors()
    const { browser } = await enroll()
    const [own] = await listOwn(browser)
    return { host, browser, csrfToken: await browser.csrfToken(), id: own?.id ?? "", cookie: cookiesOf(browser) }
  }

  it("is not changed by a GET, another method, or a header that names one, and is shown to no other origin", async () => {
    const { host, browser, csrfToken, id, cookie } = await open()
    const query = new URLSearchParams({ csrfToken, action: "remove", id, _method: "POST" })
    const headers = { "x-http-method-override": "POST", origin: "https://evil.test" }
    const shown = await ask(host, `${path}?${query}`, { cookie, headers })
    expect([shown.status, shown.headers.get("access-control-allow-origin")]).toEqual([200, null])
    expect(shown.headers.get("cache-control")).toContain("no-store")
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const answer = await host.handler(new Request(`https://app.test${path}`, { method, headers: { cookie } }))
      expect(answer.status).toBe(400)
    }
    expect(await listOwn(browser)).toHaveLength(2)
  })

  it("is not changed by a form of another site, whatever its media type", async () => {
    const { host, browser, csrfToken, id, cookie } = await open()
    const fields = { action: "remove", id }
    for (const type of ["text/plain", "text/plain; application/json", "multipart/form-data; boundary=x"]) {
      const headers = { cookie, "content-type": type }
      const body = JSON.stringify({ csrfToken, ...fields })
      const answer = await host.handler(new Request(`https://app.test${path}`, { method: "POST", headers, body }))
      expect(answer.status).toBe(403)
    }
    expect((await ask(host, `${path}?csrfToken=${csrfToken}`, { cookie, form: fields })).status).toBe(403)
    const framed = { origin: "null" }
    expect((await ask(host, path, { cookie, form: { csrfToken, ...fields }, headers: framed })).status).toBe(403)
    expect(await listOwn(browser)).toHaveLength(2)
  })

  it.each<Record<string, unknown>>([
    { action: "__proto__" },
    { action: "toString" },
    { action: ["remove"] },
    { action: "remove", id: ["x"] },
    { action: "end", id: { length: 1 } },
    { action: "confirm-totp", ticket: 1, code: 2 },
  ])("answers 400 to %j", async (fields) => {
    const { host, browser, csrfToken, cookie } = await open()
    expect((await ask(host, path, { cookie, json: { csrfToken, ...fields } })).status).toBe(400)
    expect(await listOwn(browser)).toHaveLength(2)
  })
})
