import { listen, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest"
import { buildApp, type KitApp } from "./kit-app.js"

const apps: KitApp[] = []

beforeAll(async () => {
  apps.push(await buildApp(), await buildApp({ base: "/shop" }))
}, 120_000)

afterAll(() => apps.map((app) => app.remove()))

// SvelteKit logs to the console what an action throws.
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined)
})

afterEach(() => {
  vi.restoreAllMocks()
})

for (const [index, basePath] of ["/auth", "/shop/auth"].entries()) {
  testIntegration({
    name: `SvelteKit with the service at ${basePath}`,
    basePath,
    isOtherMount: index > 0,
    cachedPage: basePath.replace("/auth", "/public"),
    signInForm: basePath.replace("/auth", "/login"),
    passesOn: true,
    verifiesForms: true,
    proxySetting: "PROTOCOL_HEADER=x-forwarded-proto and HOST_HEADER=x-forwarded-host (adapter-node)",
    start(config) {
      return listen(
        toWebListener(async (request, { clientAddress }) => apps[index]?.respond(request, { config, clientAddress })),
      )
    },
  })
}
