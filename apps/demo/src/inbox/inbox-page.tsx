import type { VNode } from "preact"
import { renderSitePage } from "../look/site-page.js"
import { When } from "../look/when.js"
import type { StoredMail } from "./mail-store.js"

export interface InboxContent {
  readonly mails: readonly StoredMail[]
  /** The opened mail; null when there is none. */
  readonly opened: StoredMail | null
  readonly isSignedIn: boolean
}

/** The demo's mailbox: every mail that the app sent, whatever its address. */
export function renderInboxPage({ mails, opened, isSignedIn }: InboxContent): string {
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
            Look for new mail
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
        Ask for a link on <a href="/auth/signin">the sign-in page</a>, with any address. It arrives here in a moment.
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
      <nav aria-label="Mails, the newest first">
        <ol>
          {mails.map((mail) => (
            <li key={mail.id}>
              <a href={`/inbox/${mail.id}`} aria-current={mail.id === opened.id ? "true" : undefined}>
                <strong>{mail.subject || "Without a subject"}</strong>
                <span class="quiet small">to {mail.to}</span>
                <span class="quiet small">
                  <When date={mail.receivedAt} />
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
      <h2 id="subject">{mail.subject || "Without a subject"}</h2>
      <dl class="facts small">
        <dt>From</dt>
        <dd>{mail.from}</dd>
        <dt>To</dt>
        <dd>{mail.to}</dd>
        <dt>Arrived</dt>
        <dd>
          <When date={mail.receivedAt} />
        </dd>
      </dl>
      {mail.html ? (
        <>
          <iframe
            src={`/inbox/${mail.id}/content`}
            title={`Content of the mail: ${mail.subject}`}
            sandbox={linksOnly}
          />
          <details>
            <summary>As plain text</summary>
            <pre>{mail.text}</pre>
          </details>
        </>
      ) : (
        <pre>{mail.text}</pre>
      )}
    </article>
  )
}

/** What the markup of a mail may do: a link that is clicked opens in the place of the inbox. No scripts, no forms. */
const linksOnly = "allow-top-navigation-by-user-activation"
