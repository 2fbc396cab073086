import { execFileSync } from "node:child_process"
import { createHash, X509Certificate } from "node:crypto"
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

/** A certificate with its private key, both as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** @param target the origin of the app, over plain HTTP */
export async function openTlsProxy(target: string, certificate: Certificate): Promise<TlsProxy> {
  const server = createServer({ ...certificate }, (request, response) => passOn(request, response, target))
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
  sent.once("error", ({ message }) => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end(`The app did not answer: ${message}`)
  })
  request.pipe(sent)
}

function close(server: Server): void {
  server.close()
  server.closeAllConnections()
}

/** A certificate for localhost, valid for a day. */
export async function createCertificate(): Promise<Certificate> {
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

/** The SHA-256 hash of a certificate's public key, as Chromium takes it. */
export function hashPublicKey({ cert }: Certificate): string {
  const key = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" })
  return createHash("sha256").update(key).digest("base64")
}
