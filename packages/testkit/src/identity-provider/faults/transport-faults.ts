import type { Endpoint } from "../endpoint.js"
import type { Fault, FaultContext } from "./fault.js"

/** The endpoints that the client calls directly, not through the browser. */
type CalledEndpoint = Exclude<Endpoint, "authorization" | "logout">

type Trouble =
  | "hangs"
  | "trickles"
  | "huge"
  | "huge-in-chunks"
  | "redirects"
  | "redirects-with-body"
  | "redirects-inwards"
  | "not-found"
  | "fails"
  | "unauthorized"
  | "html"
  | "list"
  | "null"
  | "empty"
  | "cut-off"

/** Faults of the HTTP response of an endpoint. */
export type TransportFaultName = `${CalledEndpoint}-${Trouble}`

const calledEndpoints: readonly CalledEndpoint[] = ["discovery", "jwks", "pushed", "token", "userinfo"]

type Change = (response: Response, context: FaultContext) => Response | Promise<Response>

/** Each keeps the original body if a careless client could use it. */
const troubles: Readonly<Record<Trouble, Change>> = {
  hangs: (_, { incoming }) => new Promise((_resolve, reject) => onAbort(incoming.signal, reject)),
  trickles: (response, { incoming }) => new Response(trickle(incoming.signal), { headers: response.headers }),
  huge: (response) => hugeResponse(response, { "content-length": String(hugeBytes) }),
  "huge-in-chunks": (response) => hugeResponse(response, {}),
  redirects: () => redirectTo(302, "https://evil.test/"),
  "redirects-with-body": () => redirectTo(307, "https://evil.test/"),
  "redirects-inwards": () => redirectTo(302, "http://169.254.169.254/latest/meta-data/"),
  "not-found": (response) => withStatus(response, 404),
  fails: (response) => withStatus(response, 500),
  unauthorized: (response) => withStatus(response, 401),
  html: () => new Response("<!doctype html><title>Sign in</title>", { headers: { "content-type": "text/html" } }),
  list: () => Response.json([]),
  null: () => Response.json(null),
  empty: () => new Response("", { headers: { "content-type": "application/json" } }),
  "cut-off": async (response) => {
    const text = await response.text()
    return new Response(text.slice(0, Math.floor(text.length / 2)), { headers: response.headers })
  },
}

/** Faults of the HTTP response, for each endpoint that the client calls. */
export const transportFaults: Readonly<Record<TransportFaultName, Fault>> = buildFaults()

function buildFaults(): Record<TransportFaultName, Fault> {
  const built = calledEndpoints.flatMap((endpoint) =>
    Object.entries(troubles).map(([trouble, change]) => [`${endpoint}-${trouble}`, faultAt(endpoint, change)] as const),
  )
  // as: `Object.entries` widens the names to strings
  return Object.fromEntries(built) as Record<TransportFaultName, Fault>
}

function faultAt(endpoint: CalledEndpoint, change: Change): Fault {
  return {
    stage: endpoint,
    outcome: "refused",
    source: "RFC 9110, CWE-400, CWE-770, CWE-918",
    effects: {
      response: (response, context) => (context.endpoint === endpoint ? change(response, context) : response),
    },
  }
}

function onAbort(signal: AbortSignal, reject: (reason: unknown) => void): void {
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener("abort", () => reject(signal.reason), { once: true })
}

/** One byte a second until the caller gives up. */
function trickle(signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  let timer: ReturnType<typeof setInterval> | undefined
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new TextEncoder().encode(" ")), 1000)
      onAbort(signal, (reason) => {
        clearInterval(timer)
        controller.error(reason)
      })
    },
    cancel: () => clearInterval(timer),
  })
}

const hugeBytes = 60 * 1024 * 1024
const chunk = new TextEncoder().encode(" ".repeat(64 * 1024))

/** Generates whitespace on demand, so that a test can tell how much of it was read. */
function hugeResponse(response: Response, headers: Readonly<Record<string, string>>): Response {
  let sent = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      sent += chunk.length
      controller.enqueue(chunk)
      if (sent >= hugeBytes) controller.close()
    },
  })
  return new Response(body, { headers: { ...Object.fromEntries(response.headers), ...headers } })
}

function redirectTo(status: number, location: string): Response {
  return new Response(null, { status, headers: { location } })
}

async function withStatus(response: Response, status: number): Promise<Response> {
  return new Response(await response.text(), { status, headers: response.headers })
}
