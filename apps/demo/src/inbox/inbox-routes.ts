import { type Request, type RequestHandler, type Response, Router } from "express"
import { renderInboxPage } from "./inbox-page.js"
import type { MailStore, StoredMail } from "./mail-store.js"

export interface InboxNeeds {
  readonly mails: MailStore
  readonly isSignedIn: (request: Request) => Promise<boolean>
}

/** The inbox, one mail in it, and the markup of a mail in a frame of its own. */
export function inboxRoutes({ mails, isSignedIn }: InboxNeeds): Router {
  const router = Router()
  const show: RequestHandler = async (request, response, next) => {
    const all = mails.list()
    const opened = request.params["id"] === undefined ? (all[0] ?? null) : findMail(request, mails)
    if (opened === null && request.params["id"] !== undefined) return next()
    response.type("html").send(renderInboxPage({ mails: all, opened, isSignedIn: await isSignedIn(request) }))
  }
  router.get("/inbox", show)
  router.get("/inbox/:id", show)
  router.get("/inbox/:id/content", (request, response, next) => {
    const mail = findMail(request, mails)
    if (!mail) return next()
    sendMarkup(response, mail.html)
  })
  return router
}

function findMail(request: Request, mails: MailStore): StoredMail | null {
  const id = Number(request.params["id"])
  return Number.isSafeInteger(id) ? mails.find(id) : null
}

/**
 * Anybody can send mail to the inbox, so that its markup is nobody's. `sandbox` gives it an origin of its own and no
 * scripts, also when its address is opened outside of the frame.
 */
function sendMarkup(response: Response, html: string): void {
  const policy = [
    "sandbox allow-top-navigation-by-user-activation",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src data:",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ")
  response.set("Content-Security-Policy", policy)
  // Links of the mail open in the whole window, as they would in a mail program.
  response.type("html").send(`<!doctype html><base target="_top">${html}`)
}
