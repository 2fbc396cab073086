import { type Browser, createBrowser } from "@latchkey/testkit"

export const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** An app with any variables and bindings. */
export interface AnyHono {
  fetch(request: Request, env?: object): Response | Promise<Response>
}

/** Opens a browser that calls the app without a network. */
export function visit(
  app: AnyHono,
  { basePath = "/auth", env = {} }: { basePath?: string; env?: object } = {},
): Browser {
  return createBrowser({ handler: (request) => app.fetch(request, env), origin: "http://app.test", basePath })
}
