import { createServer } from "node:http"
import { sendWebResponse, toWebRequest } from "@latchkey/node"
import { createApp } from "./app.ts"

const app = createApp(JSON.parse(process.env["RUNTIME_TEST"] ?? ""))

createServer(async (incoming, response) => {
  const clientAddress = incoming.socket.remoteAddress
  const request = toWebRequest(incoming, { response })
  await sendWebResponse(await app(request, { clientAddress, bindings: { incoming, outgoing: response } }), response)
}).listen(Number(process.env["PORT"]), "127.0.0.1")
