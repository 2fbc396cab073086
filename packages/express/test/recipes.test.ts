import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { encode } from "@latchkey/core/jwt"
import { askRaw, listen, visitConfig, visitFive, visits } from "@latchkey/testkit/integration"
import express, { type ErrorRequestHandler, type Express } from "express"
import { describe, expect, it } from "vitest"
import { ExpressAuth } from "../src/index.js"

// The recipes of the cookbook, with the attacks that they warn of.

const cookbook = join(import.meta.dirname, "..", "..", "..", "docs", "cookbook")
const read = (name: string) => readFileSync(join(cookbook, name), "utf8")

describe("the recipe for tenants", () => {
  const snippets = [...read("several-domains.md").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = ""]) => text)
  const code = snippets.find((text) => text.includes("interface Tenant")) ?? ""
  const secrets = { acme: "0f9c2ab74d1e83655ac0b9e7d2431f68", umbrella: "68f1342d7e9b0ca55638e1d47ba2c9f0" }
  const oidc = { issuer: "https://idp.test", clientId: "rp", clientSecret: "a secret of the client" }
  const tenants = new Map(
    Object.entries(secrets).map(([slug, secret]) => [`${slug}.example.com`, { slug, secret, ...oidc }]),
  )

  /** The app of the recipe. */
  function createApp(): Express {
    const body = stripTypeScriptTypes(code).replace(/^import .*$/gm, "")
    // as: the recipe declares the app by this name.
    return new Function("ExpressAuth", "express", "tenants", `${body}; return app`)(ExpressAuth, express, tenants)
  }
  const forwarded = { "x-forwarded-proto": "https" }

  it("CONF-01: accepts no session of another tenant", async () => {
    const { origin, close } = await listen(createApp())
    const salt = "__Secure-authjs.session-token"
    const token = await encode({ token: { sub: "1", name: "Grace" }, secret: secrets.acme, salt })
    const sessionAt = async (host: string) => {
      const headers = { ...forwarded, host, cookie: `${salt}=${token}` }
      return JSON.parse((await askRaw(origin, "/auth/session", headers)).body)
    }
    expect(await sessionAt("acme.example.com")).toMatchObject({ user: { name: "Grace" } })
    expect(await sessionAt("umbrella.example.com")).toBeNull()
    await close()
  })

  it("LINK-02: names the provider of each tenant, so that none signs in a user of another", async () => {
    const { origin, close } = await listen(createApp())
    const providersOf = async (host: string) => {
      const { body } = await askRaw(origin, "/auth/providers", { ...forwarded, host })
      return Object.keys(JSON.parse(body))
    }
    expect(await providersOf("acme.example.com")).toEqual(["sso-acme"])
    expect(await providersOf("umbrella.example.com")).toEqual(["sso-umbrella"])
    await close()
  })

  it("HOST-01: answers no host without a tenant", async () => {
    const fail: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(500).end()
    const { origin, close } = await listen(createApp().use(fail))
    expect((await askRaw(origin, "/auth/session", { ...forwarded, host: "evil.test" })).status).toBe(500)
    await close()
  })
})

describe("the recipe for Docker", () => {
  const page = read("docker.md")
  const [, listed = ""] = /trustedProxies: \["([^"]+)"\]/.exec(page) ?? []
  const [, address] = /ipv4_address: (\S+)/.exec(page) ?? []
  const [, gateway = ""] = /gateway: (\S+)/.exec(page) ?? []

  /** An app whose requests come from an address of Docker's network. */
  async function visitFrom(peer: string) {
    const config = visitConfig({ trustedProxies: [listed] })
    const app = express().use((req, _res, next) => {
      Object.defineProperty(req.socket, "remoteAddress", { value: peer })
      next()
    })
    const { origin, close } = await listen(app.use("/auth", ExpressAuth(config)))
    const refused = await visitFive(origin, (index) => `198.51.100.${index}`)
    await close()
    return refused
  }

  it("RATE-02: believes the proxy, and not the gateway, which stands for everyone who reaches a published port", async () => {
    expect(listed).toBe(address)
    expect(await visitFrom(listed)).toEqual(visits.otherAddresses)
    expect(await visitFrom(gateway)).toEqual(visits.sameAddress)
  })
})
