import type { QwikEvent } from "../src/qwik-event.js"

export const origin = "http://app.test"

/** What Qwik City takes for the end of a request. */
export class Abort {
  readonly response: Response | undefined
  readonly location: string | undefined

  constructor({ response, location }: { readonly response?: Response; readonly location?: string }) {
    this.response = response
    this.location = location
  }
}

export interface VisitOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly env?: Readonly<Record<string, string>>
  readonly ip?: string
  readonly basePathname?: string
}

/** An event as Qwik City's servers make it, and the cookies that its answer sets. */
export interface Visit extends QwikEvent {
  readonly setCookies: ReadonlyMap<string, string>
}

/** @param address with the origin that `ORIGIN`, else the request, has */
export function visit(address: string, options: VisitOptions = {}): Visit {
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
      // As Qwik City does it, query or not.
      answer.set("location", location.replace(/([^:])[/\\]{2,}/g, "$1/"))
      return new Abort({ location })
    },
    send: (response) => new Abort({ response }),
    setCookies,
  }
}

/** A form of the app. */
export function formVisit(options: VisitOptions = {}, address = "/login?qaction=1"): Visit {
  return visit(address, { method: "POST", ...options, headers: { origin, ...options.headers } })
}

/** What a handler ends a request with; null when it lets it go on. */
export async function outcomeOf(run: Promise<void>): Promise<Abort | null> {
  try {
    await run
    return null
  } catch (thrown) {
    if (thrown instanceof Abort) return thrown
    throw thrown
  }
}

/** The `Cookie` header that follows from what an answer sets. */
export function toCookies({ setCookies }: Visit): string {
  return [...setCookies].map(([name, value]) => `${name}=${value.split(";", 1)[0]}`).join("; ")
}
