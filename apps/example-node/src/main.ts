import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { auth, toNodeHandler } from "@latchkey/node"
import { authConfig } from "./auth.ts"
import { renderHomePage, renderPrivatePage } from "./pages.ts"

const { HOST = "localhost", PORT = "3000" } = process.env
const style = readFileSync(new URL("../public/style.css", import.meta.url))
const handler = toNodeHandler(authConfig)

const show = (res: ServerResponse, page: string) => res.setHeader("content-type", "text/html; charset=utf-8").end(page)

/** Handles the requests that are not for the service. */
async function answer(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  const { pathname, searchParams } = new URL(req.url ?? "/", "http://localhost")
  switch (pathname) {
    case "/":
      return show(res, renderHomePage(await auth(req, res, authConfig).getSession()))
    case "/login": {
      const query = new URLSearchParams({ callbackUrl: searchParams.get("callbackUrl") ?? "/" })
      return res.writeHead(303, { location: `/auth/signin?${query}` }).end()
    }
    case "/private": {
      const session = await auth(req, res, authConfig).requireAuth()
      return session && show(res, renderPrivatePage(session))
    }
    case "/style.css":
      return res.setHeader("content-type", "text/css").end(style)
    default:
      return res.writeHead(404).end()
  }
}

const server = createServer((req, res) =>
  handler(req, res, (error) => {
    if (error) throw error
    return answer(req, res)
  }),
)

server.listen(Number(PORT), HOST, () => console.log(`http://${HOST}:${PORT}`))
