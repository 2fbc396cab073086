import type { VNode } from "preact"
import { DateTime } from "../theme/page.js"
import type { Passkey } from "./account-records.js"
import { passkeyProviderId } from "./auth-config.js"

/** Enforced by the form and by its route. */
export const maxPasskeyNameLength = 60

export interface PasskeysSectionProps {
  readonly passkeys: readonly Passkey[]
  /** The user has no other way to sign in, so the passkey cannot be removed. */
  readonly isOnlyWay: boolean
  readonly csrfToken: string
}

/** Lists the user's passkeys, with forms to rename, remove and add one. */
export function PasskeysSection({ passkeys, isOnlyWay, csrfToken }: PasskeysSectionProps): VNode {
  return (
    <section class="card" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p class="quiet">
        Sign in with your fingerprint, face or device PIN. There is nothing to remember, and nothing that a fake site
        could ask you for.
      </p>
      {passkeys.length > 0 && (
        <ul class="list">
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} passkey={passkey} isOnlyWay={isOnlyWay} />
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
  readonly isOnlyWay: boolean
}

function PasskeyItem({ passkey, isOnlyWay }: PasskeyItemProps): VNode {
  const name = passkey.name ?? "Unnamed passkey"
  return (
    <li>
      <span>
        {name}
        <span class="quiet small below">
          {describe(passkey)}{" "}
          {passkey.lastUsedAt ? (
            <>
              Last used <DateTime date={passkey.lastUsedAt} />.
            </>
          ) : (
            "Not used yet."
          )}
        </span>
      </span>
      {isOnlyWay ? (
        <OnlyWay />
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

/** Shown instead of the button that would remove the user's only verified way to sign in. */
export function OnlyWay(): VNode {
  return <span class="quiet small">Your only verified way to sign in, so it cannot be removed</span>
}

/** Open while the passkey has no name. */
function RenameForm({ passkey }: { readonly passkey: Passkey }): VNode {
  return (
    <details class="rename" open={passkey.name === null}>
      <summary class="small">{passkey.name === null ? "Name this passkey" : `Rename ${passkey.name}`}</summary>
      <form method="post" action="/account/passkeys/rename">
        <input type="hidden" name="id" value={passkey.id} />
        <label>
          Passkey name
          <input
            type="text"
            name="name"
            value={passkey.name ?? ""}
            placeholder="My laptop"
            maxLength={maxPasskeyNameLength}
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
  return isSynced ? "Synced to your devices." : "On one device only."
}

/** Replaces texts of the sign-in service's script that do not fit this page, by error. */
const texts: Readonly<Record<string, string>> = {
  "already-registered": "This device already has a passkey for your account.",
  "registration-refused": "Your session has ended. Sign in again to add a passkey.",
  AccountNotLinked: "This passkey belongs to another account.",
  Configuration: "That did not work, or took too long. Try again.",
  WebAuthnVerificationError: "The new passkey could not be verified. Try again.",
}

interface AddPasskeyProps {
  readonly csrfToken: string
  readonly isFirst: boolean
}

/** A form for the sign-in service's script. Hidden when scripts are off. */
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
        This browser does not support passkeys.
      </p>
      <noscript>
        <p class="quiet small">To add a passkey, turn on JavaScript in this browser.</p>
      </noscript>
    </>
  )
}
