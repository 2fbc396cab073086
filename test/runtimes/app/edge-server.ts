// Serves the app from @edge-runtime/vm. Runs outside of it, on Node.
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { EdgeVM } from "@edge-runtime/vm"
import { sendWebResponse, toWebRequest } from "@latchkey/node"

const bundle = readFileSync(process.env["BUNDLE"] ?? "", "utf8")
const settings = `globalThis.RUNTIME_TEST = ${JSON.stringify(process.env["RUNTIME_TEST"])};\n`
const vm = new EdgeVM({ initialCode: settings + bundle })

createServer(async (incoming, response) => {
  const { url, method, headers, body } = toWebRequest(incoming, { response })
  headers.set("x-socket-address", incoming.socket.remoteAddress ?? "")
  const init = { method, headers: [...headers], ...(body && { body: await new Response(body).text() }) }
  await sendWebResponse(await vm.dispatchFetch(url, init as RequestInit), response)
}).listen(Number(process.env["PORT"]), "127.0.0.1")
