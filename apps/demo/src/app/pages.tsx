import type { VNode } from "preact"
import { Initials, renderCardPage, renderSitePage } from "../theme/page.js"
import { type DemoSession, demoUser } from "./auth-config.js"

export interface HomeContent {
  readonly session: DemoSession | null
  /** Whether the session began at the identity provider. */
  readonly isFromProvider: boolean
  readonly identityProviderOrigin: string
}

export function renderHomePage({ session, isFromProvider, identityProviderOrigin }: HomeContent): string {
  return renderSitePage({
    title: "Home",
    path: "/",
    isSignedIn: session !== null,
    content: (
      <>
        <div class="stack">
          <h1>Four ways to sign in</h1>
          <p class="quiet">
            A small Express app that uses Latchkey. Everything it needs runs on this machine and cannot be reached from
            the network.
          </p>
        </div>
        <section class="card" aria-label="Current session">
          {session ? <SignedIn session={session} isFromProvider={isFromProvider} /> : <SignedOut />}
        </section>
        <FourWays identityProviderOrigin={identityProviderOrigin} />
      </>
    ),
  })
}

interface SignedInProps {
  readonly session: DemoSession
  readonly isFromProvider: boolean
}

function SignedIn({ session, isFromProvider }: SignedInProps): VNode {
  const { name, email } = session.user
  return (
    <>
      <div class="person">
        <Initials name={name || email} />
        <p>
          Signed in as <strong>{name || email}</strong>
          {name && <span class="quiet small">{email}</span>}
        </p>
      </div>
      <div class="row">
        <a class="button main" href="/auth/account">
          Your account
        </a>
        <a class="button" href="/auth/signout?callbackUrl=%2F">
          Sign out
        </a>
        {isFromProvider && (
          <form method="post" action="/sign-out-everywhere">
            <button type="submit" class="button">
              Sign out here and of Demo ID
            </button>
          </form>
        )}
      </div>
      <p>
        <a href="/statement">A page that asks again who you are</a>
      </p>
      <details>
        <summary>The session object in the app</summary>
        <pre>{JSON.stringify(session, null, 2)}</pre>
      </details>
    </>
  )
}

function SignedOut(): VNode {
  return (
    <>
      <p>You are not signed in.</p>
      <div class="row">
        <a class="button main" href="/auth/signin?callbackUrl=%2F">
          Sign in
        </a>
      </div>
    </>
  )
}

function FourWays({ identityProviderOrigin }: { readonly identityProviderOrigin: string }): VNode {
  return (
    <section class="card" aria-labelledby="ways">
      <h2 id="ways">How to try them</h2>
      <ol class="ways">
        <li>
          <h3>Passkey</h3>
          <p>Choose "Create a passkey" and enter any email address. Next time, one click is enough.</p>
          <p class="quiet small">
            Your device asks for your fingerprint, face or PIN, and never sends them to this or any other site.
          </p>
        </li>
        <li>
          <h3>Another site</h3>
          <p>Choose Demo ID, then a person.</p>
          <p class="quiet small">
            It is a real OpenID provider on its own origin, <code>{identityProviderOrigin}</code>.
          </p>
        </li>
        <li>
          <h3>Email</h3>
          <p>
            Enter any email address. The mail arrives in <a href="/inbox">the demo's inbox</a>. Open its link, or read
            its six digits there, as on a phone, and type them here.
          </p>
          <p class="quiet small">It is sent over SMTP and never leaves this machine. Link and code work once.</p>
        </li>
        <li>
          <h3>Password</h3>
          <p>
            Email <code>{demoUser.email}</code>, password <code>{demoUser.password}</code>. Or create an account of your
            own.
          </p>
          <p class="quiet small">The password is stored as a slow, salted hash.</p>
        </li>
      </ol>
    </section>
  )
}

export function renderNotFoundPage(): string {
  return renderCardPage("Page not found", [
    <h1>Page not found</h1>,
    <p>The address may be misspelled, or the page no longer exists.</p>,
    <a class="button main full" href="/">
      Go to the home page
    </a>,
  ])
}

export function renderErrorPage(): string {
  return renderCardPage("Something went wrong", [
    <h1>Something went wrong</h1>,
    <p>Try again, or go back to the home page. The terminal that runs the demo shows the error.</p>,
    <a class="button main full" href="/">
      Go to the home page
    </a>,
  ])
}
