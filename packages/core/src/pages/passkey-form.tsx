/** @jsxImportSource #markup */
import type { Children, JSX } from "../markup/jsx-runtime.js"
import { HiddenFields, type HiddenFieldsProps, HostFields } from "./form.js"
import type { PasskeyForm as PasskeyFormModel } from "./form-model.js"
import type { MessageId, Translator } from "./messages.js"

export interface PasskeyFormProps {
  readonly model: PasskeyFormModel
  readonly hidden: HiddenFieldsProps
  readonly t: Translator
  /** Whether the page offers no other way to sign in. */
  readonly isOnlyWay: boolean
  /** Whether its button is the page's main one. */
  readonly isMain: boolean
}

/**
 * Signing in with a passkey, and signing up with a new one. Both need the script, which finds its forms by their
 * `data-passkey` attributes. Buttons stay disabled until it has loaded; without scripts, a message explains why.
 */
export function PasskeyForm({ model, hidden, t, isOnlyWay, isMain }: PasskeyFormProps): JSX.Element {
  const isNamed = model.name !== "Passkey"
  const text = isNamed ? t.translate("signIn.with", { provider: model.name }) : t.translate("signIn.withPasskey")
  const signIn = <PasskeyButton action="authenticate" text={text} t={t} isMain={isMain} />
  const signUp = model.canSignUp && <PasskeyButton action="register" text={t.translate("passkey.create")} t={t} />
  const fields = (
    <HostFields formId={model.id} fields={model.fields} isInvalid={false} marker={{ "data-form-field": true }} />
  )
  return (
    <div class="passkey" data-passkey-texts={JSON.stringify(scriptTexts(t))}>
      <ScriptedForm id={`${model.id}-form`} model={model} hidden={hidden}>
        {/* A discoverable passkey identifies its user; otherwise the user has to enter a name first. */}
        {!model.isDiscoverable && fields}
        {signIn}
        {!model.isDiscoverable && signUp}
      </ScriptedForm>
      {model.isDiscoverable && signUp && (
        <details class="more" open={isOnlyWay}>
          <summary class="more-summary">{t.translate("passkey.new")}</summary>
          <ScriptedForm id={`${model.id}-new-form`} model={model} hidden={hidden}>
            {fields}
            {signUp}
          </ScriptedForm>
        </details>
      )}
      <p class="quiet" data-passkey-unsupported hidden>
        {t.translate("passkey.unsupported")}
      </p>
      <noscript>
        <p class="quiet">{t.translate("passkey.needsScript", { provider: model.name })}</p>
      </noscript>
    </div>
  )
}

interface ScriptedFormProps {
  readonly id: string
  readonly model: PasskeyFormModel
  readonly hidden: HiddenFieldsProps
  readonly children: Children
}

function ScriptedForm({ id, model, hidden, children }: ScriptedFormProps): JSX.Element {
  return (
    <form
      class="form"
      id={id}
      action={model.callbackUrl}
      method="post"
      data-passkey
      data-passkey-autofill={model.hasAutofill || undefined}
    >
      <HiddenFields {...hidden} />
      {children}
    </form>
  )
}

interface PasskeyButtonProps {
  readonly action: "authenticate" | "register"
  readonly text: string
  readonly t: Translator
  readonly isMain?: boolean
}

function PasskeyButton({ action, text, t, isMain = false }: PasskeyButtonProps): JSX.Element {
  const isSignIn = action === "authenticate"
  return (
    <button
      type="submit"
      class={isMain ? "button button-primary" : "button"}
      name="action"
      value={action}
      // Fields that only sign-up requires must not block a sign-in.
      formnovalidate={isSignIn}
      disabled
      data-passkey-busy={t.translate("passkey.busy")}
    >
      <span class="button-text">{text}</span>
    </button>
  )
}

/** Messages for the codes of the script's `PasskeyError`, and for the service's errors that have no page of their own. */
const scriptMessages: Readonly<Record<string, MessageId>> = {
  cancelled: "passkey.canceled",
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
  // The service reports an expired or used challenge as `Configuration`.
  Configuration: "passkey.unavailable",
  WebAuthnVerificationError: "passkey.unknown",
}

function scriptTexts(t: Translator): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(scriptMessages).map(([error, id]) => [error, t.translate(id)]))
}
