import type { AuthUser } from "@latchkey/hono"
import { html } from "hono/html"

type Markup = ReturnType<typeof html>

/** The query of the login page. */
export interface LoginQuery {
  /** Where to go after signing in. */
  readonly callbackUrl?: string | undefined
  /** The error of the last attempt. */
  readonly error?: string | undefined
}

export function renderHomePage(user: AuthUser | null): Markup {
  if (user) {
    return renderPage(
      "Home",
      html`<p id="server-session">Signed in as ${nameOf(user)}</p>
        <p><a href="/private">Private page</a></p>
        <form method="post" action="/logout"><button>Sign out</button></form>`,
    )
  }
  return renderPage(
    "Home",
    html`<p id="server-session">Not signed in</p>
      <p><a href="/private">Private page</a></p>
      <p><a class="button" href="/login">Sign in</a></p>
      <form method="post" action="/login">
        <input type="hidden" name="providerId" value="demo" />
        <button>Sign in with Demo ID</button>
      </form>`,
  )
}

export function renderLoginPage({ callbackUrl = "/", error }: LoginQuery): Markup {
  const redirectTo = html`<input type="hidden" name="redirectTo" value="${callbackUrl}" />`
  return renderPage(
    "Sign in",
    html`${error === undefined ? "" : html`<p role="alert">${toMessage(error)}</p>`}
      <form method="post" action="/login">
        ${redirectTo}<input type="hidden" name="providerId" value="credentials" />
        <label>User name <input name="username" autocomplete="username" required /></label>
        <label>Password <input type="password" name="password" autocomplete="current-password" required /></label>
        <button>Sign in</button>
      </form>
      <form method="post" action="/login">
        ${redirectTo}<input type="hidden" name="providerId" value="nodemailer" />
        <label>Email <input type="email" name="email" autocomplete="email" required /></label>
        <button>Send a sign-in link</button>
      </form>`,
  )
}

export function renderPrivatePage(user: AuthUser): Markup {
  return renderPage(
    "Private",
    html`<p>Only signed-in users see this page. You are ${nameOf(user)}.</p>
      <p><a href="/">Home</a></p>`,
  )
}

function toMessage(error: string): string {
  if (error === "CredentialsSignin") return "Wrong user name or password."
  return "Sign-in failed. Try again, or choose another way to sign in."
}

/** A user who signed in with an email link has no name. */
function nameOf({ user }: AuthUser): string {
  return user.name ?? user.email ?? "unknown user"
}

function renderPage(title: string, content: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} - Hono example</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`
}
