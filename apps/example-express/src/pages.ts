import type { Session } from "@latchkey/express"

export function renderHomePage(session: Session | null): string {
  const user = session?.user
  if (user) {
    return renderPage(
      "Home",
      html`<p id="server-session">Signed in as ${nameOf(user)}</p>
        <p><a href="/private">Private page</a></p>
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

export function renderPrivatePage(session: Session): string {
  return renderPage(
    "Private",
    html`<p>Only signed-in users see this page. You are ${nameOf(session.user ?? {})}.</p>
      <p><a href="/">Home</a></p>`,
  )
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

/** A template tag that escapes every value except other markup: html`<p>${name}</p>`. */
function html(strings: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const parts = values.map((value) => (typeof value === "string" ? escapeText(value) : value.markup))
  return { markup: String.raw({ raw: strings }, ...parts) }
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "")
}
