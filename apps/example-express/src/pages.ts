import type { SessionView } from "@latchkey/core/sessions"
import type { Session } from "@latchkey/express"

export function renderHomePage(session: Session | null | undefined): string {
  const user = session?.user
  if (user) {
    return renderPage(
      "Home",
      html`<p id="server-session">Signed in as ${nameOf(user)}</p>
        <p><a href="/private">Private page</a></p>
        <p><a href="/sessions">Your sessions</a></p>
        <p><a href="/profile">Your profile at Demo ID</a></p>
        <form action="/auth/signout"><button>Sign out</button></form>`,
    )
  }
  return renderPage(
    "Home",
    html`<p id="server-session">Not signed in</p>
      <p><a href="/private">Private page</a></p>
      <p><a class="button" href="/login">Sign in</a></p>`,
  )
}

export function renderPrivatePage(session: Session | null | undefined): string {
  return renderPage(
    "Private",
    html`<p>Only signed-in users see this page. You are ${nameOf(session?.user ?? {})}.</p>
      <p><a href="/">Home</a></p>`,
  )
}

/** @param profile Null for a user without an account at Demo ID. */
export function renderProfilePage(profile: Readonly<Record<string, unknown>> | null): string {
  return renderPage(
    "Your profile",
    html`${
      profile
        ? html`<p id="profile">Demo ID knows you as ${String(profile["name"])}, ${String(profile["email"])}.</p>`
        : html`<p role="alert"><a href="/login?callbackUrl=%2Fprofile">Sign in with Demo ID</a> to see this page.</p>`
    }
      <p><a href="/">Home</a></p>`,
  )
}

export function renderSessionsPage(sessions: readonly SessionView[], isSignInTooOld: boolean): string {
  return renderPage(
    "Your sessions",
    html`${isSignInTooOld ? signInAgain : ""}
      <ul class="sessions">
        ${sessions.map(renderSession)}
      </ul>
      ${sessions.length > 1 ? endOthers : ""}
      <p><a href="/">Home</a></p>`,
  )
}

const signInAgain = html`<p role="alert">
  You signed in more than ten minutes ago. <a href="/login?callbackUrl=%2Fsessions">Sign in again</a> to end other
  sessions.
</p>`

const endOthers = html`<form method="post" action="/sessions/end-others"><button>End all others</button></form>`

function renderSession({ id, device, network, createdAt, lastSeenAt, isCurrent }: SessionView): Html {
  const name = device ?? "Unknown device"
  const end = html`<form method="post" action="/sessions/end">
    <input type="hidden" name="id" value="${id}" />
    <button class="quiet" aria-label="End the session of ${name}">End</button>
  </form>`
  return html`<li>
    <div>
      <strong>${name}</strong>
      ${isCurrent ? html`<small>This browser</small>` : ""}
      <small>Signed in ${renderTime(createdAt)}</small>
      <small>Last used ${renderTime(lastSeenAt)}</small>
      ${network ? html`<small>Network ${network}</small>` : ""}
    </div>
    ${isCurrent ? "" : end}
  </li>`
}

const timeFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })

function renderTime(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${timeFormat.format(date)} UTC</time>`
}

/** A user who signed in with an email link has no name. */
function nameOf({ name, email }: NonNullable<Session["user"]>): string {
  return name ?? email ?? "unknown user"
}

function renderPage(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} - Express example</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.markup
}

/** Markup that needs no escaping. */
interface Html {
  readonly markup: string
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

type Value = string | Html | readonly Html[]

/** A template tag that escapes every value except other markup: html`<p>${name}</p>`. */
function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { markup: String.raw({ raw: strings }, ...values.map(toMarkup)) }
}

function toMarkup(value: Value): string {
  if (typeof value === "string") return escapeText(value)
  return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("")
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "")
}
