import { createHash } from "node:crypto"
import { type Response, Router } from "express"
import { icon, stylesheet } from "./stylesheet.js"

const version = createHash("sha256").update(stylesheet).update(icon).digest("hex").slice(0, 12)

/** Addresses of the stylesheet and the icon. They change with the content, so that browsers may keep what they have. */
export const stylesheetUrl: string = `/look/${version}/demo.css`
export const iconUrl: string = `/look/${version}/icon.svg`

/** Serves the stylesheet and the icon. */
export function stylesheetRoutes(): Router {
  const router = Router()
  router.get(stylesheetUrl, (_request, response) => sendFixed(response, "text/css", stylesheet))
  router.get(iconUrl, (_request, response) => sendFixed(response, "image/svg+xml", icon))
  // Where browsers look on pages that name no icon, such as those of the sign-in service.
  router.get("/favicon.ico", (_request, response) => response.redirect(iconUrl))
  return router
}

function sendFixed(response: Response, type: string, content: string): void {
  response.set({ "Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff" })
  response.type(type).send(content)
}
