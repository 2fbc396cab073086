import { once } from "node:events"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Browser, createBrowser, overHttp, type TestHost, type TestHostOptions } from "@latchkey/testkit"
import { openHost } from "./hosts.js"

/** A host behind Node's own server, with its default limits. */
export interface NodeHost {
  readonly host: TestHost
  /** Sends the headers of Chrome. */
  readonly browser: Browser
  close(): Promise<unknown>
}

export async function openNodeHost(toOptions: () => TestHostOptions): Promise<NodeHost> {
  const opened: { host?: TestHost } = {}
  const server = createServer(async (incoming, response) => {
    const answer = await (opened.host ?? expectHost()).handler(await toRequest(incoming, originOf(server)))
    const headers = [...answer.headers].filter(([name]) => name !== "set-cookie").flat()
    for (const cookie of answer.headers.getSetCookie()) headers.push("set-cookie", cookie)
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const origin = originOf(server)
  const host = openHost({ origin, ...toOptions() })
  opened.host = host
  return {
    host,
    browser: createBrowser({
      origin,
      handler: (request) => overHttp(withChromeHeaders(request)),
      network: { [host.idp.origin]: host.idp.handler },
    }),
    close: () => once(server.close(), "close"),
  }
}

function expectHost(): never {
  throw new Error("The host was not opened yet")
}

function originOf(server: Server): string {
  // as: a TCP server.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

async function toRequest(incoming: IncomingMessage, origin: string): Promise<Request> {
  const { method = "GET", url = "/", headers } = incoming
  const body = Buffer.concat(await incoming.toArray())
  const pairs = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return new Request(origin + url, { method, headers: pairs as [string, string][], ...(body.length > 0 && { body }) })
}

/** What Chrome sends with a navigation besides cookies. */
export const chromeHeaders: Readonly<Record<string, string>> = {
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "accept-encoding": "gzip, deflate, br, zstd",
  "accept-language": "en-US,en;q=0.9,de;q=0.8",
  "sec-ch-ua": '"Chromium";v="140", "Not=A?Brand";v="24", "Google Chrome";v="140"',
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
}

function withChromeHeaders(request: Request): Request {
  const headers = new Headers({ ...chromeHeaders, ...Object.fromEntries(request.headers) })
  return new Request(request, { headers })
}
