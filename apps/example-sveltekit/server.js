// adapter-node takes every visitor for one who came over TLS to the host of the request. Where that is not so, it must be
// told: here what AUTH_URL says, else that there is no TLS. Whatever visitors say of themselves is written over.
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
