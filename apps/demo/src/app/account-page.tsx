import type { FactorView } from "@latchkey/core/second-factors"
import type { SessionView } from "@latchkey/core/sessions"
import type { VNode } from "preact"
import { DateTime, Initials, renderSitePage } from "../theme/page.js"
import type { LinkedAccount, Passkey } from "./account-records.js"
import { type DemoSession, identityProviderId } from "./auth-config.js"
import { OnlyWay, PasskeysSection } from "./passkeys-section.js"
import { SecondStepSection } from "./second-step.js"

export interface AccountContent {
  readonly session: DemoSession
  readonly accounts: readonly LinkedAccount[]
  readonly passkeys: readonly Passkey[]
  readonly hasPassword: boolean
  readonly emailVerifiedAt: Date | null
  readonly sessions: readonly SessionView[]
  readonly factors: readonly FactorView[]
  readonly csrfToken: string
  /** The result of the form that was just submitted, or null. */
  readonly notice: string | null
}

/** The sign-in service's script, which also runs on the sign-in page. */
const passkeyScriptUrl = "/auth/webauthn.js"

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
        <PasskeysSection {...content} isOnlyWay={countWays(content) === 1} />
        <OtherWaysToSignIn {...content} />
        <SecondStepSection {...content} />
        <Sessions {...content} />
        <section class="card" aria-label="Session as JSON">
          <details>
            <summary>The session object in the app</summary>
            <pre>{JSON.stringify(content.session, null, 2)}</pre>
          </details>
        </section>
      </>
    ),
  })
}

function Profile({ session, emailVerifiedAt }: AccountContent): VNode {
  const { id, name, email } = session.user
  return (
    <section class="card" aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <div class="person">
        <Initials name={name || email} />
        <strong>{name || email}</strong>
      </div>
      <dl class="facts">
        <dt>Name</dt>
        <dd>{name || "None"}</dd>
        <dt>Email</dt>
        <dd>
          {email}{" "}
          <span class="quiet small">
            {emailVerifiedAt ? (
              <>
                (verified on <DateTime date={emailVerifiedAt} />)
              </>
            ) : (
              "(not verified)"
            )}
          </span>
        </dd>
        <dt>User ID</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
    </section>
  )
}

/** Email counts only once it is verified. */
function countWays({ accounts, passkeys, hasPassword, emailVerifiedAt }: AccountContent): number {
  return accounts.length + passkeys.length + (hasPassword ? 1 : 0) + (emailVerifiedAt ? 1 : 0)
}

function OtherWaysToSignIn(content: AccountContent): VNode {
  const { accounts, hasPassword, emailVerifiedAt, session, csrfToken } = content
  const ways = countWays(content)
  return (
    <section class="card" aria-labelledby="ways">
      <h2 id="ways">Other ways to sign in</h2>
      <ul class="list">
        {accounts.map((account) => (
          <LinkedWay key={account.providerAccountId} account={account} isOnlyWay={ways === 1} />
        ))}
        <li>
          <span>
            Email link <span class="quiet small">to {session.user.email}</span>
          </span>
          {/* Signed out, a link to an unverified address may be refused: another person may have signed up with it. */}
          {!emailVerifiedAt && <span class="quiet small">To verify the address, request a link while signed in</span>}
        </li>
        <li>
          <span>Password</span>
          <a href="/auth/password/change">{hasPassword ? "Change" : "Add"}</a>
        </li>
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
  readonly isOnlyWay: boolean
}

function LinkedWay({ account, isOnlyWay }: LinkedWayProps): VNode {
  const name = account.provider === identityProviderId ? "Demo ID" : account.provider
  return (
    <li>
      <span>
        {name} <span class="quiet small">account {account.providerAccountId}</span>
      </span>
      {isOnlyWay ? (
        <OnlyWay />
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

function Sessions({ sessions, csrfToken }: AccountContent): VNode {
  const isFromProvider = sessions.some(({ isCurrent, provider }) => isCurrent && provider === identityProviderId)
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul class="list">
        {sessions.map((session) => (
          <SessionItem key={session.id} session={session} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <form method="post" action="/account/end-other-sessions">
          <button type="submit" class="button">
            Sign out everywhere else
          </button>
        </form>
      )}
      {isFromProvider && (
        <form method="post" action="/auth/signout">
          <input type="hidden" name="csrfToken" value={csrfToken} />
          <input type="hidden" name="callbackUrl" value="/" />
          <input type="hidden" name="atProvider" value="true" />
          <button type="submit" class="button">
            Sign out here and of Demo ID
          </button>
        </form>
      )}
    </section>
  )
}

function SessionItem({ session }: { readonly session: SessionView }): VNode {
  const { id, device, network, createdAt, lastSeenAt, isCurrent } = session
  const name = device ?? "Unknown device"
  return (
    <li>
      <span>
        {name}{" "}
        <span class="quiet small">
          {network && <>from {network}, </>}
          since <DateTime date={createdAt} />, last seen <DateTime date={lastSeenAt} />
        </span>
      </span>
      {isCurrent ? (
        <span class="badge">This browser</span>
      ) : (
        <form method="post" action="/account/end-session">
          <input type="hidden" name="id" value={id} />
          <button type="submit" class="button" aria-label={`End the session of ${name}`}>
            End
          </button>
        </form>
      )}
    </li>
  )
}
