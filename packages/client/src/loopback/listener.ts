/// <reference types="node" />
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { NativeBrowser } from "../native/native-client.js"

/** Options of {@link openLoopback}. */
export interface LoopbackOptions {
  /** Opens a URL in the system's browser, such as `shell.openExternal` of Electron. */
  readonly openBrowser: (url: string) => unknown
  /** The path of the client's redirect URI. Default: `/callback`. */
  readonly path?: string | undefined
  /** The text of the page that the browser shows afterwards. Default: `You can close this window and go back to the app.` */
  readonly message?: string | undefined
  /** Stops waiting, as if the user had closed the browser. Default: after ten minutes. */
  readonly signal?: AbortSignal | undefined
}

/** A listener on the loopback interface that waits for one sign-in. */
export interface LoopbackBrowser extends NativeBrowser {
  /** Stops listening. `open` does it as well, once it has an answer. */
  close(): void
}

const waitMs = 10 * 60 * 1000

/**
 * Listens on a free port of 127.0.0.1 for the answer of a sign-in, RFC 8252 section 7.3.
 * @example
 * const browser = await openLoopback({ openBrowser: shell.openExternal })
 * const session = await client.signIn(browser)
 */
export async function openLoopback(options: LoopbackOptions): Promise<LoopbackBrowser> {
  const { openBrowser, path = "/callback", message = defaultMessage, signal = AbortSignal.timeout(waitMs) } = options
  const waiting: Waiting = { state: null, settle: () => {} }
  const server = createServer((request, response) =>
    answer(request, response, { host: hostOf(server), path, message }, waiting),
  )
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const redirectUri = `http://${hostOf(server)}${path}`
  const close = () => {
    server.close()
    waiting.settle(null)
  }
  return {
    redirectUri,
    close,
    async open(url) {
      const answered = new Promise<string | null>((resolve) => {
        waiting.settle = resolve
      })
      waiting.state = new URL(url).searchParams.get("state")
      signal.addEventListener("abort", close, { once: true })
      if (signal.aborted) close()
      try {
        await openBrowser(url)
        return await answered
      } finally {
        signal.removeEventListener("abort", close)
        close()
      }
    },
  }
}

const defaultMessage = "You can close this window and go back to the app."

interface Waiting {
  /** The state of the sign-in. Null before it has begun. */
  state: string | null
  settle: (answer: string | null) => void
}

interface Listener {
  readonly host: string
  readonly path: string
  readonly message: string
}

function hostOf(server: Server): string {
  const address = server.address()
  return typeof address === "object" && address !== null ? `127.0.0.1:${address.port}` : ""
}

/** Any page can send requests to the listener. Those without the state are refused, and it goes on waiting. */
function answer(
  { method, url = "", headers }: IncomingMessage,
  response: ServerResponse,
  { host, path, message }: Listener,
  waiting: Waiting,
): void {
  const query = url.startsWith(`${path}?`) ? new URLSearchParams(url.slice(path.length + 1)) : null
  const isOurs = method === "GET" && headers.host === host && waiting.state !== null
  if (!isOurs || query?.get("state") !== waiting.state) {
    response.writeHead(400, pageHeaders).end()
    return
  }
  response.writeHead(200, { ...pageHeaders, connection: "close" })
  response.end(`<!doctype html><meta charset="utf-8"><title>${toHtml(message)}</title><p>${toHtml(message)}</p>`, () =>
    waiting.settle(`http://${host}${url}`),
  )
}

/** The address has the code: it must stay out of caches and referrers. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

function toHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
}
