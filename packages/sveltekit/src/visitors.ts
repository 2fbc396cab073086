import { type ConfigSource, type MountOptions, resolveSettings } from "@latchkey/core/integration"
import type { Cookies, RequestEvent } from "@sveltejs/kit"
import { findAppPath } from "./app-paths.js"
import { findEnvironment, type Variables } from "./environment.js"
import { createVisitor, type Visitor } from "./visitor.js"

/** Finds the visitor of an event: the same one as long as the request lasts. */
export type VisitorFinder = (event: RequestEvent) => Promise<Visitor>

/** The visitors of an app. Its environment and its base path are asked for once. */
export function visitorFinder(config: ConfigSource<RequestEvent>, variables: Variables | undefined): VisitorFinder {
  // SvelteKit hands hooks, actions and loaders objects of their own for one request. The cookies in them are the same.
  const visitors = new WeakMap<Cookies, Promise<Visitor>>()
  const basePath = findAppPath("/auth")
  let mount: Promise<MountOptions> | undefined

  async function createMount(): Promise<MountOptions> {
    const [env, defaultBasePath] = await Promise.all([findEnvironment(variables), basePath])
    return { env, defaultBasePath }
  }

  async function create(event: RequestEvent): Promise<Visitor> {
    // SvelteKit sets the variables after it has loaded the app's modules, and before the first request.
    mount ??= createMount()
    return createVisitor(event, await resolveSettings(config, event, await mount))
  }

  return (event) => {
    const visitor = visitors.get(event.cookies) ?? create(event)
    visitors.set(event.cookies, visitor)
    return visitor
  }
}
