import type { VNode } from "preact"
import { PersonMark } from "../look/person-mark.js"
import { renderSitePage } from "../look/site-page.js"
import { demoPerson } from "./demo-person.js"
import type { Visitor } from "./visitor.js"

export interface HomeContent {
  readonly visitor: Visitor | null
  readonly identityProviderOrigin: string
}

/** What this is, who is signed in, and the four ways to try. */
export function renderHomePage({ visitor, identityProviderOrigin }: HomeContent): string {
  return renderSitePage({
    title: "Home",
    path: "/",
    isSignedIn: visitor !== null,
    content: (
      <>
        <div class="stack">
          <h1>Sign in four ways, for real</h1>
          <p class="quiet">
            A small Express app that signs people in with Latchkey. Everything it needs runs on this machine, and nobody
            else can reach it.
          </p>
        </div>
        <section class="card" aria-label="Who is signed in">
          {visitor ? <SignedIn visitor={visitor} /> : <SignedOut />}
        </section>
        <FourWays identityProviderOrigin={identityProviderOrigin} />
      </>
    ),
  })
}

function SignedIn({ visitor }: { readonly visitor: Visitor }): VNode {
  const { name, email } = visitor.user
  return (
    <>
      <div class="person">
        <PersonMark name={name || email} />
        <p>
          Signed in as <strong>{name || email}</strong>
          {name && <span class="quiet small">{email}</span>}
        </p>
      </div>
      <div class="row">
        <a class="button main" href="/account">
          Your account
        </a>
        <a class="button" href="/auth/signout?callbackUrl=%2F">
          Sign out
        </a>
      </div>
    </>
  )
}

function SignedOut(): VNode {
  return (
    <>
      <p>Nobody is signed in.</p>
      <div class="row">
        <a class="button main" href="/auth/signin?callbackUrl=%2Faccount">
          Sign in
        </a>
      </div>
    </>
  )
}

function FourWays({ identityProviderOrigin }: { readonly identityProviderOrigin: string }): VNode {
  return (
    <section class="card" aria-labelledby="ways">
      <h2 id="ways">Four ways to try</h2>
      <ol class="ways">
        <li>
          <h3>With a passkey</h3>
          <p>Choose "New here? Create a passkey" and type any address. Next time one click is enough.</p>
          <p class="quiet small">
            Your device asks for your fingerprint, your face or its PIN. None of them leaves it.
          </p>
        </li>
        <li>
          <h3>Through another site</h3>
          <p>Choose Demo ID, then a person there.</p>
          <p class="quiet small">
            It is a real OpenID provider on a site of its own, <code>{identityProviderOrigin}</code>.
          </p>
        </li>
        <li>
          <h3>By a link in a mail</h3>
          <p>
            Type any address. The mail arrives in <a href="/inbox">the demo's inbox</a>.
          </p>
          <p class="quiet small">It travels over SMTP and never leaves this machine. The link works once.</p>
        </li>
        <li>
          <h3>With a name and a password</h3>
          <p>
            User name <code>{demoPerson.username}</code>, password <code>{demoPerson.password}</code>.
          </p>
          <p class="quiet small">The password is stored as a slow, salted hash.</p>
        </li>
      </ol>
    </section>
  )
}
