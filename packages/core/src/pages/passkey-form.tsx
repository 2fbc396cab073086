import type { ComponentChildren, JSX } from "preact"
import { HiddenFields, type HiddenFieldsProps, HostFields } from "./form.js"
import type { PasskeyForm as PasskeyFormModel } from "./form-model.js"
import type { MessageId, Translator } from "./messages.js"

export interface PasskeyFormProps {
  readonly choice: PasskeyFormModel
  readonly hidden: HiddenFieldsProps
  readonly speech: Translator
  /** Whether the page offers nothing else. */
  readonly isOnlyWay: boolean
}

/**
 * Signing in with a passkey, and signing up with a new one. Both need the script, which takes hold of the marks that
 * the forms carry; until it is there, no button can be pressed, and where no script runs a sentence says so instead.
 */
export function PasskeyForm(props: PasskeyFormProps): JSX.Element {
  const { choice, speech } = props
  return (
    <div class="passkey" data-passkey-texts={JSON.stringify(toMessages(speech))}>
      {choice.isDiscoverable ? <DiscoverableForms {...props} /> : <NamedForm {...props} />}
      <p class="quiet" data-passkey-unsupported hidden>
        {speech.say("passkey.unsupported")}
      </p>
      <noscript>
        <p class="quiet">{speech.say("passkey.needsScript", { provider: choice.name })}</p>
      </noscript>
    </div>
  )
}

/** The passkey says whose it is: one button signs in, and only somebody new has something to type. */
function DiscoverableForms({ choice, hidden, speech, isOnlyWay }: PasskeyFormProps): JSX.Element {
  return (
    <>
      <ScriptedForm id={`${choice.id}-form`} choice={choice} hidden={hidden}>
        <SignInButton choice={choice} speech={speech} />
      </ScriptedForm>
      {choice.canSignUp && (
        <details class="more" open={isOnlyWay}>
          <summary class="more-summary">{speech.say("passkey.new")}</summary>
          <ScriptedForm id={`${choice.id}-new-form`} choice={choice} hidden={hidden}>
            <ChoiceFields choice={choice} />
            <SignUpButton speech={speech} />
          </ScriptedForm>
        </details>
      )}
    </>
  )
}

/** Somebody has to say who they are before the device can look for their passkey. */
function NamedForm({ choice, hidden, speech }: PasskeyFormProps): JSX.Element {
  return (
    <ScriptedForm id={`${choice.id}-form`} choice={choice} hidden={hidden}>
      <ChoiceFields choice={choice} />
      <SignInButton choice={choice} speech={speech} />
      {choice.canSignUp && <SignUpButton speech={speech} />}
    </ScriptedForm>
  )
}

interface ScriptedFormProps extends Pick<PasskeyFormProps, "choice" | "hidden"> {
  readonly id: string
  readonly children: ComponentChildren
}

function ScriptedForm({ id, choice, hidden, children }: ScriptedFormProps): JSX.Element {
  return (
    <form
      class="form"
      id={id}
      action={choice.callbackUrl}
      method="post"
      data-passkey
      data-passkey-autofill={choice.hasAutofill || undefined}
    >
      <HiddenFields {...hidden} />
      {children}
    </form>
  )
}

function ChoiceFields({ choice }: Pick<PasskeyFormProps, "choice">): JSX.Element {
  return <HostFields formId={choice.id} fields={choice.fields} isRefused={false} marker={{ "data-form-field": true }} />
}

/** What somebody new must fill in is not asked of those who sign in. */
function SignInButton({ choice, speech }: Pick<PasskeyFormProps, "choice" | "speech">): JSX.Element {
  return (
    <button
      type="submit"
      class="button button-primary"
      name="action"
      value="authenticate"
      formnovalidate
      disabled
      data-passkey-busy={speech.say("passkey.busy")}
    >
      <span class="button-text">{speech.say("signIn.with", { provider: choice.name })}</span>
    </button>
  )
}

function SignUpButton({ speech }: Pick<PasskeyFormProps, "speech">): JSX.Element {
  return (
    <button
      type="submit"
      class="button"
      name="action"
      value="register"
      disabled
      data-passkey-busy={speech.say("passkey.busy")}
    >
      <span class="button-text">{speech.say("passkey.create")}</span>
    </button>
  )
}

/**
 * By the codes of the script's own errors, and by the types of those errors of the service that need no page of their
 * own.
 */
const messages: Readonly<Record<string, MessageId>> = {
  cancelled: "passkey.cancelled",
  "not-allowed": "passkey.notAllowed",
  "already-registered": "passkey.alreadyRegistered",
  "no-authenticator": "passkey.noAuthenticator",
  "wrong-site": "passkey.wrongSite",
  "insecure-page": "passkey.insecurePage",
  unsupported: "passkey.unsupported",
  network: "passkey.network",
  unavailable: "passkey.unavailable",
  "registration-refused": "passkey.registrationRefused",
  failed: "passkey.failed",
  AccountNotLinked: "passkey.registrationRefused",
  // What is left of a challenge that was too old or used already.
  Configuration: "passkey.unavailable",
  WebAuthnVerificationError: "passkey.unknown",
}

function toMessages(speech: Translator): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(messages).map(([error, id]) => [error, speech.say(id)]))
}
