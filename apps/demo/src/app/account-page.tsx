import type { VNode } from "preact"
import { PersonMark } from "../look/person-mark.js"
import { renderSitePage } from "../look/site-page.js"
import { When } from "../look/when.js"
import type { LinkedAccount, SessionRecord } from "./account-records.js"
import { identityProviderId } from "./auth-config.js"
import type { Passkey } from "./passkey-records.js"
import { PasskeysSection } from "./passkeys-section.js"
import type { Visitor } from "./visitor.js"

export interface AccountContent {
  readonly visitor: Visitor
  readonly accounts: readonly LinkedAccount[]
  readonly passkeys: readonly Passkey[]
  /** The user name with which the visitor may sign in by password, or null. */
  readonly username: string | null
  readonly emailProvenAt: Date | null
  readonly sessions: readonly SessionRecord[]
  readonly csrfToken: string
  /** What the visitor just did, or null. */
  readonly notice: string | null
}

/** The service's script, which the account page runs as the sign-in page does. */
const passkeyScriptUrl = "/auth/webauthn.js"

/** Who the visitor is, how they can sign in, where they are signed in, and the session as the app sees it. */
export function renderAccountPage(content: AccountContent): string {
  return renderSitePage({
    title: "Your account",
    path: "/account",
    isSignedIn: true,
    scriptUrl: passkeyScriptUrl,
    content: (
      <>
        <h1>Your account</h1>
        {content.notice && (
          <p class="note" role="status">
            {content.notice}
          </p>
        )}
        <Profile {...content} />
        <PasskeysSection {...content} hasOneWay={countWays(content) === 1} />
        <OtherWaysToSignIn {...content} />
        <Sessions {...content} />
        <section class="card" aria-label="Session as JSON">
          <details>
            <summary>The session as the app sees it</summary>
            <pre>{JSON.stringify(content.visitor, null, 2)}</pre>
          </details>
        </section>
      </>
    ),
  })
}

function Profile({ visitor, emailProvenAt }: AccountContent): VNode {
  const { id, name, email } = visitor.user
  return (
    <section class="card" aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <div class="person">
        <PersonMark name={name || email} />
        <strong>{name || email}</strong>
      </div>
      <dl class="facts">
        <dt>Name</dt>
        <dd>{name || "Not given"}</dd>
        <dt>Email</dt>
        <dd>
          {email}
          <span class="quiet small">
            {" "}
            {emailProvenAt ? <ProvenAt date={emailProvenAt} /> : "(not proven by a link yet)"}
          </span>
        </dd>
        <dt>User id</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
    </section>
  )
}

function ProvenAt({ date }: { readonly date: Date }): VNode {
  return (
    <>
      (proven by a link, <When date={date} />)
    </>
  )
}

/** A link by mail counts once it was used. */
function countWays({ accounts, passkeys, username, emailProvenAt }: AccountContent): number {
  return accounts.length + passkeys.length + (username === null ? 0 : 1) + (emailProvenAt ? 1 : 0)
}

function OtherWaysToSignIn(content: AccountContent): VNode {
  const { accounts, username, emailProvenAt, visitor, csrfToken } = content
  const ways = countWays(content)
  return (
    <section class="card" aria-labelledby="ways">
      <h2 id="ways">Other ways to sign in</h2>
      <ul class="list">
        {accounts.map((account) => (
          <LinkedWay key={account.providerAccountId} account={account} isLast={ways === 1} />
        ))}
        <li>
          <span>
            Link by email <span class="quiet small">to {visitor.user.email}</span>
          </span>
          {/* Until then the service may refuse a link: anybody can sign up with an address that is not theirs. */}
          {!emailProvenAt && <span class="quiet small">Ask for one while you are signed in, to prove the address</span>}
        </li>
        {username !== null && (
          <li>
            <span>
              Password <span class="quiet small">for user name {username}</span>
            </span>
          </li>
        )}
      </ul>
      <form method="post" action={`/auth/signin/${identityProviderId}`}>
        <input type="hidden" name="csrfToken" value={csrfToken} />
        <input type="hidden" name="callbackUrl" value="/account" />
        <button type="submit" class="button">
          {accounts.length > 0 ? "Add another Demo ID" : "Add Demo ID"}
        </button>
      </form>
    </section>
  )
}

interface LinkedWayProps {
  readonly account: LinkedAccount
  readonly isLast: boolean
}

function LinkedWay({ account, isLast }: LinkedWayProps): VNode {
  const name = account.provider === identityProviderId ? "Demo ID" : account.provider
  return (
    <li>
      <span>
        {name} <span class="quiet small">account {account.providerAccountId}</span>
      </span>
      {isLast ? (
        <span class="quiet small">Your only proven way in, so it stays</span>
      ) : (
        <form method="post" action="/account/unlink">
          <input type="hidden" name="provider" value={account.provider} />
          <input type="hidden" name="providerAccountId" value={account.providerAccountId} />
          <button type="submit" class="button" aria-label={`Remove ${name} account ${account.providerAccountId}`}>
            Remove
          </button>
        </form>
      )}
    </li>
  )
}

function Sessions({ sessions, visitor }: AccountContent): VNode {
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul class="list">
        {sessions.map(({ reference, expiresAt }) => (
          <li key={reference}>
            <span>
              Session <code>{reference}</code>{" "}
              <span class="quiet small">
                ends <When date={expiresAt} /> unless it is used
              </span>
            </span>
            {reference === visitor.reference && <span class="badge">This browser</span>}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <form method="post" action="/account/end-other-sessions">
          <button type="submit" class="button">
            Sign out everywhere else
          </button>
        </form>
      )}
    </section>
  )
}
