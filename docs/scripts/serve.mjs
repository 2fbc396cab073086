// A server for the built site. Its host name is fixed: the site is for this machine only.
import { createReadStream, existsSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join, normalize } from "node:path"
import { root } from "./pages.mjs"

export const dist = join(root, "docs", "dist")

const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
}

/** The file for a path, or undefined. Paths cannot leave the folder. */
function findFile(path) {
  const file = join(dist, normalize(`/${path}`))
  const candidates = [file, `${file}.html`, join(file, "index.html")]
  return candidates.find((each) => existsSync(each) && statSync(each).isFile())
}

function answer(request, response) {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://127.0.0.1").pathname)
  const file = findFile(path)
  const shown = file ?? join(dist, "404.html")
  response.writeHead(file ? 200 : 404, { "content-type": types[extname(shown)] ?? "application/octet-stream" })
  createReadStream(shown).pipe(response)
}

/** Serves the site; port 0 chooses a free one. */
export async function serve(port = 0) {
  const server = createServer(answer)
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}
