import { listen, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { afterEach, beforeAll, beforeEach, vi } from "vitest"
import { type KitApp, openApp } from "./kit-app.js"

const apps: KitApp[] = []

beforeAll(async () => {
  apps.push(await openApp(), await openApp({ base: "/shop" }))
})

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
