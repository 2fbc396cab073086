import { expect, it } from "vitest"
import { toHostRequest } from "./host-request.js"
import { readVisit } from "./read-visit.js"

it("toHostRequest gives the host's code the visit with its fields as JSON", async () => {
  const body = "name=v&csrfToken=t"
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(body.length),
    "x-real-ip": "192.0.2.1",
    cookie: "a=b",
  }
  const url = "https://app.test/auth/callback/credentials?from=app"
  const visit = await readVisit(new Request(url, { method: "POST", body, headers }), "/auth")
  const request = toHostRequest(visit, { name: "é" })
  expect([request.method, request.url]).toEqual(["POST", url])
  expect(await request.json()).toEqual({ name: "é" })
  expect(Object.fromEntries(request.headers)).toEqual({
    "content-type": "application/json",
    "x-real-ip": "192.0.2.1",
    cookie: "a=b",
  })
})
