import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, rmSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { type IncomingMessage, type ServerResponse, request as send } from "node:http"
import { createServer, type Server } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { portOf } from "../../apps/demo/src/web/loopback-server.js"

/** A proxy as in production: terminates TLS and sets the forwarded headers. */
export interface TlsProxy {
  readonly origin: string
  close(): void
}

/** @param target the origin of the app, over plain HTTP */
export async function openTlsProxy(target: string): Promise<TlsProxy> {
  const server = createServer(await createCertificate(), (request, response) => passOn(request, response, target))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { origin: `https://127.0.0.1:${portOf(server)}`, close: () => close(server) }
}

function passOn(request: IncomingMessage, response: ServerResponse, target: string): void {
  const headers = {
    ...request.headers,
    connection: "close",
    host: new URL(target).host,
    "x-forwarded-for": request.socket.remoteAddress,
    "x-forwarded-host": request.headers.host,
    "x-forwarded-proto": "https",
  }
  const { method, url } = request
  // A new connection each time: the app may close one that is kept just when it is used again.
  const sent = send(new URL(url ?? "/", target), { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
  })
  sent.once("error", () => response.destroy())
  request.pipe(sent)
}

function close(server: Server): void {
  server.close()
  server.closeAllConnections()
}

/** A certificate for localhost, valid for a day. */
async function createCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-tls-"))
  const key = join(folder, "key.pem")
  const cert = join(folder, "cert.pem")
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"]
  execFileSync("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" })
  const pair = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") }
  rmSync(folder, { recursive: true })
  return pair
}
