/** What the app of a test host shows outside of the service: a page that says which one it is. */
export function showAppPage(request: Request): Response {
  const { pathname } = new URL(request.url)
  const title = `Host application ${pathname}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  const headers = { "content-type": "text/html; charset=utf-8" }
  return new Response(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1></html>`, { headers })
}
