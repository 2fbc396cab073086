import type { QwikEvent } from "../src/config.js"

export const origin = "http://app.test"

/** The message that a handler throws to end a request in Qwik City. */
export class Abort {
  readonly response: Response | undefined
  readonly location: string | undefined

  constructor({ response, location }: { readonly response?: Response; readonly location?: string }) {
    this.response = response
    this.location = location
  }
}

export interface EventOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly env?: Readonly<Record<string, string>>
  readonly ip?: string
  readonly basePathname?: string
}

/** An event like those of Qwik City's servers, with the cookies that its response sets. */
export interface TestEvent extends QwikEvent {
  readonly setCookies: ReadonlyMap<string, string>
}

/** @param address A path, or a URL with the origin of `ORIGIN`, else of the request. */
export function createEvent(address: string, options: EventOptions = {}): TestEvent {
  const { method = "GET", headers = {}, body, env = {}, ip = "192.0.2.1", basePathname = "/" } = options
  const requestUrl = new URL(address, origin)
  const url = new URL(requestUrl)
  url.pathname = url.pathname.replace(/\/q-data\.json$/, "") || "/"
  const setCookies = new Map<string, string>()
  const answer = new Headers()
  return {
    url,
    basePathname,
    request: new Request(requestUrl, { method, headers, ...(body !== undefined && { body }) }),
    headers: answer,
    cookie: { set: (name, value) => void setCookies.set(name, value) },
    env: { get: (name) => env[name] },
    sharedMap: new Map(),
    clientConn: { ip },
    redirect(_status, location) {
      // As Qwik City does, in the query as well.
      answer.set("location", location.replace(/([^:])[/\\]{2,}/g, "$1/"))
      return new Abort({ location })
    },
    send: (response) => new Abort({ response }),
    setCookies,
  }
}

/** The event of a form of the app. */
export function formEvent(options: EventOptions = {}, address = "/login?qaction=1"): TestEvent {
  return createEvent(address, { method: "POST", ...options, headers: { origin, ...options.headers } })
}

/** The message that ends a request; null when the handler lets it continue. */
export async function outcomeOf(run: Promise<void>): Promise<Abort | null> {
  try {
    await run
    return null
  } catch (thrown) {
    if (thrown instanceof Abort) return thrown
    throw thrown
  }
}

/** The `Cookie` header that the browser sends after a response. */
export function toCookies({ setCookies }: TestEvent): string {
  return [...setCookies].map(([name, value]) => `${name}=${value.split(";", 1)[0]}`).join("; ")
}
