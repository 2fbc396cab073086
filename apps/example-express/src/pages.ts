import type { Session } from "@latchkey/express"
import { type Html, html } from "./html.ts"

export function renderHomePage(session: Session | null): string {
  const visitor = session?.user
  if (visitor) {
    return renderPage(
      "Home",
      html`<p id="server-session">Signed in as ${nameOf(visitor)}</p>
        <p><a href="/private">Private page</a></p>
        <form action="/auth/signout"><button>Sign out</button></form>`,
    )
  }
  return renderPage(
    "Home",
    html`<p id="server-session">Nobody is signed in</p>
      <p><a href="/private">Private page</a></p>
      <p><a class="button" href="/login">Sign in</a></p>`,
  )
}

export function renderPrivatePage(session: Session): string {
  return renderPage("Private", html`<p>Only ${nameOf(session.user ?? {})} sees this.</p><p><a href="/">Home</a></p>`)
}

/** Who signed in by a link in a mail has no name yet. */
function nameOf({ name, email }: NonNullable<Session["user"]>): string {
  return name ?? email ?? "somebody"
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
