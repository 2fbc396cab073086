import { type Request, type RequestHandler, type Response, Router } from "express"
import type { VNode } from "preact"
import { DateTime, renderSitePage } from "../theme/page.js"
import type { MailStore, StoredMail } from "./mail-store.js"

export interface InboxOptions {
  readonly mails: MailStore
  readonly isSignedIn: (request: Request) => Promise<boolean>
}

/** The inbox, one mail in it, and the HTML of a mail for its frame. */
export function inboxRoutes({ mails, isSignedIn }: InboxOptions): Router {
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
    sendMailHtml(response, mail.html)
  })
  return router
}

function findMail(request: Request, mails: MailStore): StoredMail | null {
  const id = Number(request.params["id"])
  return Number.isSafeInteger(id) ? mails.find(id) : null
}

/** Untrusted HTML may only navigate the window by a clicked link. No scripts, no forms. */
const sandbox = "allow-top-navigation-by-user-activation"

/**
 * Sends untrusted HTML: any program on this machine can send mail to the inbox. The `sandbox` directive isolates its
 * origin and forbids scripts, even when the URL is opened outside the frame.
 */
function sendMailHtml(response: Response, html: string): void {
  const policy = [
    `sandbox ${sandbox}`,
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src data:",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ")
  response.set("Content-Security-Policy", policy)
  // Links in the mail open in the whole window, as in a mail program.
  response.type("html").send(`<!doctype html><base target="_top">${html}`)
}

interface InboxContent {
  readonly mails: readonly StoredMail[]
  /** Null if the inbox is empty. */
  readonly opened: StoredMail | null
  readonly isSignedIn: boolean
}

/** All mails that the app sent, to any address. */
function renderInboxPage({ mails, opened, isSignedIn }: InboxContent): string {
  return renderSitePage({
    title: "Inbox",
    path: "/inbox",
    isSignedIn,
    isWide: true,
    content: (
      <>
        <div class="row apart">
          <h1>Inbox</h1>
          <a class="button" href="/inbox">
            Check for new mail
          </a>
        </div>
        {opened ? <Mailbox mails={mails} opened={opened} /> : <Empty />}
      </>
    ),
  })
}

function Empty(): VNode {
  return (
    <div class="card">
      <p>No mail yet.</p>
      <p class="quiet">
        Request a link on <a href="/auth/signin">the sign-in page</a>, with any address. It arrives here in a moment.
      </p>
    </div>
  )
}

interface MailboxProps {
  readonly mails: readonly StoredMail[]
  readonly opened: StoredMail
}

function Mailbox({ mails, opened }: MailboxProps): VNode {
  return (
    <div class="mailbox">
      <nav aria-label="Mails, newest first">
        <ol>
          {mails.map((mail) => (
            <li key={mail.id}>
              <a href={`/inbox/${mail.id}`} aria-current={mail.id === opened.id ? "true" : undefined}>
                <strong>{mail.subject || "(no subject)"}</strong>
                <span class="quiet small">to {mail.to}</span>
                <span class="quiet small">
                  <DateTime date={mail.receivedAt} />
                </span>
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <OpenedMail mail={opened} />
    </div>
  )
}

function OpenedMail({ mail }: { readonly mail: StoredMail }): VNode {
  return (
    <article class="mail" aria-labelledby="subject">
      <h2 id="subject">{mail.subject || "(no subject)"}</h2>
      <dl class="facts small">
        <dt>From</dt>
        <dd>{mail.from}</dd>
        <dt>To</dt>
        <dd>{mail.to}</dd>
        <dt>Received</dt>
        <dd>
          <DateTime date={mail.receivedAt} />
        </dd>
      </dl>
      {mail.html ? (
        <>
          <iframe src={`/inbox/${mail.id}/content`} title={`Content of the mail: ${mail.subject}`} sandbox={sandbox} />
          <details>
            <summary>Plain text</summary>
            <pre>{mail.text}</pre>
          </details>
        </>
      ) : (
        <pre>{mail.text}</pre>
      )}
    </article>
  )
}
