import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import { integrationConfig, integrationUser, listen, type RunningServer } from "@latchkey/testkit/integration"
import { createApp, createRouter, type EventHandler, eventHandler, type H3Event, toNodeListener } from "h3"
import { onTestFinished } from "vitest"
import { createNuxtAuth, type NuxtAuth, type NuxtAuthConfig } from "../src/config/index.js"

export const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

const { username, password, name, email } = integrationUser

/** The user of the tests. */
export const ada = { name, email }
/** Signs in that user. */
export const right = { username, password }

/** The configuration of the shared suite. Frozen, because the app's object must not be written to. */
export function testConfig(changes: Partial<NuxtAuthConfig> = {}): NuxtAuthConfig {
  return Object.freeze({ ...integrationConfig(), ...changes })
}

/** A route of the app. */
export type Route = (auth: NuxtAuth, event: H3Event) => unknown

/** Starts an app with h3's own server code, arranged as Nitro does: middlewares, then routes. */
export function start(config: NuxtAuthConfig, routes: Readonly<Record<string, Route>> = {}): Promise<RunningServer> {
  const auth = createNuxtAuth(config, { mountPath: "/auth" })
  const router = createRouter({ preemptive: true })
  for (const [path, route] of Object.entries(routes))
    router.use(
      path,
      eventHandler((event) => route(auth, event)),
    )
  const app = createApp({
    onBeforeResponse: auth.beforeResponse,
    onError: (error) => {
      error.data = error.message // The tests read it.
    },
  })
  app.use("/", auth.handler)
  app.use("/", router.handler as EventHandler)
  return listen(toNodeListener(app))
}

/** Like {@link start}, for one test. */
export async function startApp(config: NuxtAuthConfig, routes?: Readonly<Record<string, Route>>): Promise<string> {
  const { origin, close } = await start(config, routes)
  onTestFinished(close)
  return origin
}

export function visit(origin: string): Browser {
  return createBrowser({ handler: overHttp, origin, basePath: "/auth" })
}
