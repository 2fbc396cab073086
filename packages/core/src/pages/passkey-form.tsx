/** @jsxImportSource #markup */

import { type Translate, translateFrom } from "../messages/translate.js"
import type { PageFrame, Translator } from "./document.js"
import { HiddenFields, type HiddenFieldsProps, HostFields } from "./form.js"
import type { PasskeyForm as PasskeyFormModel, PasskeyProps } from "./form-model.js"
import type { Children, JSX } from "./markup/jsx-runtime.js"
import { offersSignUp } from "./person-forms.js"

/** The messages of the form for passkeys. `{host}` is filled in everywhere. */
export const passkeyMessages = {
  signIn: "Sign in with a passkey",
  busy: "Waiting for your device…",
  new: "New here? Create a passkey",
  create: "Create a passkey",
  needsScript: "To sign in with a passkey, turn on JavaScript in this browser.",
  canceled:
    "That was canceled, took too long, or did not work on this device. Try again, or choose another way to sign in.",
  notAllowed: "This page is not allowed to use passkeys. Open {host} in its own window and try again.",
  alreadyRegistered: "This device already has a passkey for this account. You can sign in with it.",
  noAuthenticator:
    "This device does not support the required kind of passkey. Try another device or a security key, or choose another way to sign in.",
  wrongSite: "Passkeys do not work at this address. Open the site at its usual address and try again.",
  insecurePage: "Passkeys need a secure connection. Open the site with https and try again.",
  unsupported: "This browser cannot use passkeys. Try another browser, or choose another way to sign in.",
  network: "{host} could not be reached. Check your connection and try again.",
  unavailable: "That did not work, or took too long. Try again, or choose another way to sign in.",
  registrationRefused:
    "We could not create an account with these details. If you have one, sign in the way you did before. You can then add a passkey to your account.",
  failed: "The passkey did not work on this device. Try again, or choose another way to sign in.",
  unknown:
    "This passkey is not accepted here. It may have been removed. Try another one, or choose another way to sign in.",
} as const

type PasskeyTranslate = Translate<typeof passkeyMessages>

/**
 * Signing in with a passkey, and signing up with a new one. Both need the script, which finds its forms by their
 * `data-passkey` attributes. Buttons stay disabled until it has loaded; without scripts, a message explains why.
 */
export function renderPasskeyForm(model: PasskeyFormModel, props: PasskeyProps): JSX.Element {
  const { hidden, t, frame, providers, isMain, isSignUpShown } = props
  const translate = translateFrom(passkeyMessages, "passkey.", frame.locale, { host: frame.siteName })
  const isNamed = model.name !== "Passkey"
  const text = isNamed ? t.translate("signIn.with", { provider: model.name }) : translate("signIn")
  const canSignUp = model.canSignUp && isSignUpShown
  const signIn = <PasskeyButton action="authenticate" text={text} translate={translate} isMain={isMain} />
  const signUp = canSignUp && <PasskeyButton action="register" text={translate("create")} translate={translate} />
  if (props.adding) return <AddPasskey model={model} props={props} adding={props.adding} translate={translate} />
  const fields = (
    <HostFields
      formId={model.id}
      fields={model.fields}
      labels={{ email: t.translate("signIn.email") }}
      isInvalid={false}
      marker={{ "data-form-field": true }}
    />
  )
  return (
    <div class="passkey" data-passkey-texts={JSON.stringify(scriptTexts(translate, t))}>
      <ScriptedForm id={`${model.id}-form`} model={model} hidden={hidden}>
        {/* A discoverable passkey identifies its user; otherwise the user has to enter a name first. */}
        {!model.isDiscoverable && fields}
        {signIn}
        {!model.isDiscoverable && signUp}
      </ScriptedForm>
      {model.isDiscoverable && signUp && (
        <details class="more" open={providers.length === 1}>
          <summary class="more-summary">{translate(providers.some(offersSignUp(frame)) ? "create" : "new")}</summary>
          <ScriptedForm id={`${model.id}-new-form`} model={model} hidden={hidden}>
            {fields}
            {signUp}
          </ScriptedForm>
        </details>
      )}
      <p class="quiet" data-passkey-unsupported hidden>
        {translate("unsupported")}
      </p>
      <noscript>
        <p class="quiet">{translate("needsScript")}</p>
      </noscript>
    </div>
  )
}

interface AddPasskeyProps {
  readonly model: PasskeyFormModel
  readonly props: PasskeyProps
  readonly adding: NonNullable<PasskeyProps["adding"]>
  readonly translate: PasskeyTranslate
}

/** Errors that the texts for a sign-up would explain wrongly. */
const addingTexts = { "registration-refused": "unavailable", AccountNotLinked: "alreadyRegistered" } as const

function AddPasskey({ model, props, adding, translate }: AddPasskeyProps): JSX.Element {
  const own = Object.fromEntries(Object.entries(addingTexts).map(([error, id]) => [error, translate(id)]))
  return (
    <div class="passkey" data-passkey-texts={JSON.stringify({ ...scriptTexts(translate, props.t), ...own })}>
      <ScriptedForm id={`${model.id}-form`} model={{ ...model, hasAutofill: false }} hidden={props.hidden}>
        <PasskeyButton action="register" text={adding.button} translate={translate} isMain={props.isMain} />
      </ScriptedForm>
      <p class="quiet" data-passkey-unsupported hidden>
        {translate("unsupported")}
      </p>
      <noscript>
        <p class="quiet">{adding.needsScript}</p>
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
  readonly translate: PasskeyTranslate
  readonly isMain?: boolean
}

function PasskeyButton({ action, text, translate, isMain = false }: PasskeyButtonProps): JSX.Element {
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
      data-passkey-busy={translate("busy")}
    >
      <span class="button-text">{text}</span>
    </button>
  )
}

/** Messages for the codes of the script's `PasskeyError`, and for the service's errors that have no page of their own. */
const scriptMessages: Readonly<Record<string, keyof typeof passkeyMessages>> = {
  cancelled: "canceled",
  "not-allowed": "notAllowed",
  "already-registered": "alreadyRegistered",
  "no-authenticator": "noAuthenticator",
  "wrong-site": "wrongSite",
  "insecure-page": "insecurePage",
  unsupported: "unsupported",
  network: "network",
  unavailable: "unavailable",
  "registration-refused": "registrationRefused",
  failed: "failed",
  AccountNotLinked: "registrationRefused",
  // The service reports an expired or used challenge as `Configuration`.
  Configuration: "unavailable",
  WebAuthnVerificationError: "unknown",
}

/** What the script would say about an error. Undefined for an unknown one. */
export function passkeySentence(error: string, frame: Pick<PageFrame, "locale" | "siteName">): string | undefined {
  const id = Object.hasOwn(scriptMessages, error) ? scriptMessages[error] : undefined
  return id && translateFrom(passkeyMessages, "passkey.", frame.locale, { host: frame.siteName })(id)
}

function scriptTexts(translate: PasskeyTranslate, t: Translator): Readonly<Record<string, string>> {
  const texts = Object.entries(scriptMessages).map(([error, id]) => [error, translate(id)])
  return { ...Object.fromEntries(texts), TooManyRequests: t.translate("tooMany.text") }
}
