import type { AuthConfig } from "@latchkey/core"
import { describe, expect, it } from "vitest"
import { look, type Planted, plant } from "./sites.js"

const own: Partial<AuthConfig> = { callbacks: { redirect: ({ baseUrl }) => baseUrl } }

const frameworks: readonly (readonly [name: string, planted: Planted])[] = [
  ["the service verifies", {}],
  ["the framework verifies", { connection: { isVerifiedForm: true }, hasOwnNotFound: true }],
  ["the service verifies, with a redirect callback", { config: own }],
  ["the framework verifies, with a redirect callback", { config: own, connection: { isVerifiedForm: true } }],
]

const toGet: Planted["proxy"] = (app, request, response) => app(Object.assign(request, { method: "GET" }), response)
const withoutType: Planted["proxy"] = (app, request, response) => {
  delete request.headers["content-type"]
  return app(request, response)
}
const toPage: Planted["proxy"] = (app, request, response) =>
  request.method === "POST" ? response.writeHead(302, { location: request.url }).end() : app(request, response)
const toLatin1 = (body: string) => body.replaceAll("%C3%A9", "%E9")

/** What a proxy does to forms. The last two show in the addresses that they lead to. */
const bodies: readonly (readonly [name: string, planted: Planted, code: string, isSeenByAddress: boolean])[] = [
  ["drops bodies", { changeBody: () => "" }, "body-dropped", false],
  ["drops Content-Type", { proxy: withoutType }, "body-dropped", false],
  ["makes GET of POST", { proxy: toGet }, "body-dropped", false],
  ["redirects forms to their own address", { proxy: toPage }, "body-dropped", false],
  ["cuts bodies at 4 KiB", { changeBody: (body) => body.slice(0, 4096) }, "body-changed", false],
  ["decodes bodies", { changeBody: decodeURIComponent }, "body-changed", true],
  ["writes bodies in another character set", { changeBody: toLatin1 }, "body-changed", true],
]

describe.each(frameworks)("latchkey doctor --url, where forms are those that %s", (_, framework) => {
  const hasOwnTarget = framework.config !== undefined
  it.each(bodies.filter(([, , , isSeenByAddress]) => !(isSeenByAddress && hasOwnTarget)))(
    "names a proxy that %s",
    async (_name, planted, code) => {
      const { findings } = await look(await plant({ ...framework, ...planted }))
      expect(findings[0]).toMatchObject({ code, fixes: [{ where: "proxy" }, { where: "code" }] })
    },
  )

  it("names a proxy that refuses large bodies", async () => {
    const proxy: Planted["proxy"] = (app, request, response) =>
      Number(request.headers["content-length"]) > 1024 ? response.writeHead(413).end() : app(request, response)
    const { findings } = await look(await plant({ ...framework, proxy }))
    expect(findings).toMatchObject([{ code: "body-changed", evidence: { status: 413 } }])
  })

  it.each([
    [403, "<html><head><title>403 Forbidden</title></head></html>", "Allow POST"],
    [405, "", "Allow POST"],
    [413, "<html><head><title>413 Request Entity Too Large</title></head></html>", "client_max_body_size"],
  ])("names what refuses every form with %i before the app", async (status, page, fix) => {
    const proxy: Planted["proxy"] = (app, request, response) =>
      request.method === "POST" ? response.writeHead(status).end(page) : app(request, response)
    const { findings } = await look(await plant({ ...framework, proxy }))
    expect(findings).toMatchObject([{ code: "forms-refused", fixes: [{ where: "proxy" }], evidence: { status } }])
    expect(findings[0]?.fixes[0]?.text).toContain(fix)
  })

  it("finds nothing wrong with a proxy that passes bodies on, nor with an app that leads elsewhere", async () => {
    expect(await look(await plant(framework))).toEqual({ findings: [], unchecked: [] })
    const callbacks: AuthConfig["callbacks"] = { redirect: ({ url }) => new URL(url).pathname }
    expect(await look(await plant({ ...framework, config: { callbacks } }))).toEqual({ findings: [], unchecked: [] })
  })
})
