// adapter-node assumes that every request came over TLS to the host in its headers. Headers of our own correct this: they
// have the protocol and host of AUTH_URL, else plain HTTP. They overwrite those that a client may have sent.
import { createServer } from "node:http"

process.env.PROTOCOL_HEADER = "x-app-protocol"
process.env.HOST_HEADER = "x-app-host"
const { handler } = await import(new URL("build/handler.js", import.meta.url).href)

const { AUTH_URL = "", HOST = "127.0.0.1", PORT = "3000" } = process.env
const address = URL.parse(AUTH_URL)

createServer((request, response) => {
  request.headers["x-app-protocol"] = address?.protocol.slice(0, -1) ?? "http"
  request.headers["x-app-host"] = address?.host ?? request.headers.host
  handler(request, response)
}).listen(Number(PORT), HOST)
