import type { VNode } from "preact"
import { When } from "../look/when.js"
import { passkeyProviderId } from "./auth-config.js"
import type { Passkey } from "./passkey-records.js"

/** Longer names are cut by the form, and refused by the route. */
export const passkeyNameLength = 60

export interface PasskeysSectionProps {
  readonly passkeys: readonly Passkey[]
  /** Whether the visitor can sign in in one way only. */
  readonly hasOneWay: boolean
  readonly csrfToken: string
}

/** The visitor's passkeys: what they are called, how to remove one, how to add another. */
export function PasskeysSection({ passkeys, hasOneWay, csrfToken }: PasskeysSectionProps): VNode {
  return (
    <section class="card" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p class="quiet">
        You sign in with your fingerprint, your face or the lock of your device. There is nothing to remember, and
        nothing that a false site could ask you for.
      </p>
      {passkeys.length > 0 && (
        <ul class="list">
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} passkey={passkey} isLast={hasOneWay} />
          ))}
        </ul>
      )}
      <p class="alarm" role="alert" data-passkey-message hidden />
      <AddPasskey csrfToken={csrfToken} isFirst={passkeys.length === 0} />
    </section>
  )
}

interface PasskeyItemProps {
  readonly passkey: Passkey
  readonly isLast: boolean
}

function PasskeyItem({ passkey, isLast }: PasskeyItemProps): VNode {
  const name = passkey.name ?? "Passkey without a name"
  return (
    <li>
      <span>
        {name}
        <span class="quiet small below">
          {describe(passkey)}{" "}
          {passkey.lastUsedAt ? (
            <>
              Last used <When date={passkey.lastUsedAt} />.
            </>
          ) : (
            "Not used yet."
          )}
        </span>
      </span>
      {isLast ? (
        <span class="quiet small">Your only proven way in, so it stays</span>
      ) : (
        <form method="post" action="/account/passkeys/remove">
          <input type="hidden" name="id" value={passkey.id} />
          <button type="submit" class="button" aria-label={`Remove ${name}`}>
            Remove
          </button>
        </form>
      )}
      <RenameForm passkey={passkey} />
    </li>
  )
}

/** Open as long as there is no name, so that a new passkey gets one. */
function RenameForm({ passkey }: { readonly passkey: Passkey }): VNode {
  return (
    <details class="rename" open={passkey.name === null}>
      <summary class="small">{passkey.name === null ? "Give it a name" : `Rename ${passkey.name}`}</summary>
      <form method="post" action="/account/passkeys/rename">
        <input type="hidden" name="id" value={passkey.id} />
        <label>
          Name of this passkey
          <input
            type="text"
            name="name"
            value={passkey.name ?? ""}
            placeholder="My laptop"
            maxLength={passkeyNameLength}
            autocomplete="off"
            required
          />
        </label>
        <button type="submit" class="button">
          Save
        </button>
      </form>
    </details>
  )
}

function describe({ isSynced, isSecurityKey }: Passkey): string {
  if (isSecurityKey) return "On a security key."
  return isSynced ? "On all devices that share your passkeys." : "On one device."
}

/** What the service's own script says on this page in other words than its own, by error. */
const texts: Readonly<Record<string, string>> = {
  "already-registered": "This device already has a passkey for your account.",
  "registration-refused": "Your session has ended. Sign in again to add a passkey.",
  AccountNotLinked: "This passkey belongs to another account.",
  Configuration: "That did not work, or took too long. Try again.",
  WebAuthnVerificationError: "The new passkey could not be checked. Try again.",
}

interface AddPasskeyProps {
  readonly csrfToken: string
  readonly isFirst: boolean
}

/** A form that the service's script brings to life; without scripts it is not shown. */
function AddPasskey({ csrfToken, isFirst }: AddPasskeyProps): VNode {
  return (
    <>
      <form
        class="scripted"
        method="post"
        action={`/auth/callback/${passkeyProviderId}`}
        data-passkey
        data-passkey-texts={JSON.stringify(texts)}
      >
        <input type="hidden" name="csrfToken" value={csrfToken} />
        <input type="hidden" name="callbackUrl" value="/account?done=passkey-added" />
        <button
          type="submit"
          name="action"
          value="register"
          class="button"
          disabled
          data-passkey-busy="Waiting for your device…"
        >
          {isFirst ? "Add a passkey" : "Add another passkey"}
        </button>
      </form>
      <p class="quiet small" data-passkey-unsupported hidden>
        This browser cannot use passkeys.
      </p>
      <noscript>
        <p class="quiet small">To add a passkey, JavaScript has to be switched on in this browser.</p>
      </noscript>
    </>
  )
}
