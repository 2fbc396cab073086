import type { Session } from "@latchkey/fastify"
import { type Html, html } from "./html.ts"

/** What the login page is asked for. */
export interface LoginQuery {
  /** Where to go afterwards. */
  readonly callbackUrl?: string | undefined
  /** Why the last attempt did not work. */
  readonly error?: string | undefined
}

export function renderHomePage(session: Session | null): string {
  if (session?.user) {
    return renderPage(
      "Home",
      html`<p id="server-session">Signed in as ${nameOf(session)}</p>
        <p><a href="/private">Private page</a></p>
        <form method="post" action="/logout"><button>Sign out</button></form>`,
    )
  }
  return renderPage(
    "Home",
    html`<p id="server-session">Nobody is signed in</p>
      <p><a href="/private">Private page</a></p>
      <p><a class="button" href="/login">Sign in</a></p>
      <form method="post" action="/login">
        <input type="hidden" name="providerId" value="demo" />
        <button>Sign in with Demo ID</button>
      </form>`,
  )
}

export function renderLoginPage({ callbackUrl = "/", error }: LoginQuery): string {
  return renderPage(
    "Sign in",
    html`${error === undefined ? "" : html`<p role="alert">${explain(error)}</p>`}
      <form method="post" action="/login">
        <input type="hidden" name="redirectTo" value="${callbackUrl}" />
        <input type="hidden" name="providerId" value="credentials" />
        <label>User name <input name="username" autocomplete="username" required /></label>
        <label>Password <input type="password" name="password" autocomplete="current-password" required /></label>
        <button>Sign in</button>
      </form>`,
  )
}

export function renderPrivatePage(session: Session | null): string {
  return renderPage("Private", html`<p>Only ${nameOf(session)} sees this.</p><p><a href="/">Home</a></p>`)
}

function explain(error: string): string {
  if (error === "CredentialsSignin") return "That user name or password is wrong."
  return "That did not work. Try again, or another way."
}

function nameOf(session: Session | null): string {
  return session?.user?.name ?? session?.user?.email ?? "somebody"
}

function renderPage(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} - Fastify example</title>
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
