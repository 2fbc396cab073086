import type { Session } from "@latchkey/nestjs"

/** The query of the login page. */
export interface LoginQuery {
  /** Where to go after signing in. */
  readonly callbackUrl?: string | undefined
  /** The error of the last attempt. */
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
    html`<p id="server-session">Not signed in</p>
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
    html`${error === undefined ? "" : html`<p role="alert">${toMessage(error)}</p>`}
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
  return renderPage(
    "Private",
    html`<p>Only signed-in users see this page. You are ${nameOf(session)}.</p>
      <p><a href="/">Home</a></p>`,
  )
}

function toMessage(error: string): string {
  if (error === "CredentialsSignin") return "Wrong user name or password."
  return "Sign-in failed. Try again, or choose another way to sign in."
}

function nameOf(session: Session | null): string {
  return session?.user?.name ?? session?.user?.email ?? "unknown user"
}

function renderPage(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} - NestJS example</title>
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
