import type { AppSession } from "@latchkey/types"
import type { FlowError } from "./flow-error.js"

// The steps of the flows, with the actions that fit each of them. An action is ignored while another one is running, and after
// its step is over. It never throws for what went wrong with the request: that is the `error` of the state.

/** What a flow shows: the step, with its actions, and what became of the last one. */
export type FlowState<Step> = Step & {
  /** Why the last action failed. Null after one that succeeded, and while one is running. */
  readonly error: FlowError | null
  /** Whether an action is running. */
  readonly isPending: boolean
}

/** The flow is asking the service where it stands, such as after a reload. */
export interface LoadingStep {
  readonly step: "loading"
  /** Asks again, after an `error`. */
  readonly retry: () => Promise<void>
}

/** A provider with pages of its own, such as GitHub. */
export interface FlowProvider {
  readonly id: string
  readonly name: string
}

/** Asks who signs in. What follows is the same for every address. */
export interface IdentifierStep {
  readonly step: "identifier"
  /** What was typed before, after `back`. Otherwise empty. */
  readonly identifier: string
  /** Those to sign in with instead. Empty until they are known. */
  readonly providers: readonly FlowProvider[]
  /** Goes on to `password`; without passwords, mails a code and goes on to `code`. */
  readonly submit: (identifier: string) => Promise<void>
  /** Sends the browser to a provider. */
  readonly openProvider: (providerId: string) => Promise<void>
  /** Signs in with a passkey. Undefined until the service is known to offer them. */
  readonly askForPasskey?: () => Promise<void>
}

/** Asks for the password. */
export interface PasswordStep {
  readonly step: "password"
  readonly identifier: string
  readonly submit: (password: string) => Promise<void>
  /** Mails a code instead, and goes on to `code`. Undefined if the service mails none. */
  readonly sendCode?: () => Promise<void>
  /** Signs in with a passkey instead. Undefined if the service offers none. */
  readonly askForPasskey?: () => Promise<void>
  /** Back to `identifier`. */
  readonly back: () => Promise<void>
}

/** Asks for the code of an email. */
export interface CodeStep {
  readonly step: "code"
  /** Where the email was sent. Empty after a reload if the service does not tell it. */
  readonly address: string
  /** Whether the email has a code. If not, only its link completes the sign-in. */
  readonly hasCode: boolean
  readonly submit: (code: string) => Promise<void>
  /** Sends the email again. The service waits between two of them. */
  readonly resend: () => Promise<void>
  /** Back to `identifier`. */
  readonly back: () => Promise<void>
}

/** A kind of second factor: a code of an authenticator app, a passkey, or a recovery code. */
export type FactorKind = "totp" | "passkey" | "recovery"

/** What the steps for a second factor have in common. */
interface FactorChoice {
  /** What the user can give. */
  readonly kinds: readonly FactorKind[]
  /** Asks for another of the `kinds`. */
  readonly choose: (kind: FactorKind) => Promise<void>
  /** Gives up, and goes back to `identifier`. Undefined in a flow that is for the second factor alone. */
  readonly back?: () => Promise<void>
}

/** Asks for the code of a second factor. */
export interface SecondFactorStep extends FactorChoice {
  readonly step: "second-factor"
  /** `totp`: the six digits of an authenticator app. `recovery`: one of the codes that the user has saved. */
  readonly kind: Exclude<FactorKind, "passkey">
  /** The days for which `remember` asks no more in this browser. Null if that is not offered for this kind. */
  readonly rememberDays: number | null
  readonly submit: (code: string, options?: { readonly remember?: boolean | undefined }) => Promise<void>
}

/** Asks for a passkey as the second factor. */
export interface PasskeyStep extends FactorChoice {
  readonly step: "passkey"
  /** The browser asks for the passkey. Call it in the handler of a click: some browsers demand one. */
  readonly askForPasskey: () => Promise<void>
}

/** Sets up an authenticator app, which the user must have. A reload shows the same key. */
export interface EnrollStep {
  readonly step: "enroll"
  /** The key in base32, for people who cannot scan. */
  readonly secret: string
  /** The same as a URI, for a link that opens an app on this device: `otpauth://totp/…`. */
  readonly uri: string
  /** A QR code for the `src` of an `img`. Null if the service cannot make one. */
  readonly qr: string | null
  /** The first code of the app. */
  readonly submit: (code: string) => Promise<void>
  /** Gives up, and goes back to `identifier`. Undefined in a flow that is for the second factor alone. */
  readonly back?: () => Promise<void>
}

/** The user is signed in, and has new recovery codes to save. After a reload, the service's page shows them: the step `page`. */
export interface RecoveryCodesStep {
  readonly step: "recovery-codes"
  readonly codes: readonly string[]
  /** The user has saved them. */
  readonly finish: () => Promise<void>
}

/** Only the service's page asks for what comes next, such as to sign in with another provider first, or shows it again. */
export interface PageStep {
  readonly step: "page"
  /** Sends the browser there. */
  readonly openPage: () => Promise<void>
}

/** The user is signed in: the service has a session. */
export interface DoneStep {
  readonly step: "done"
  /** Where the browser is sent, unless `redirect` is false. */
  readonly url: string
  readonly session: AppSession
}

/** No sign-in of this browser waits for a second factor: there was none, it took too long, or another tab completed it. */
export interface ExpiredStep {
  readonly step: "expired"
}

/** What may follow every proof. */
export type AfterProofStep = SecondFactorStep | PasskeyStep | EnrollStep | RecoveryCodesStep | PageStep | DoneStep

/** The steps of a sign-in. New ones may be added, so a `switch` needs a default. */
export type SignInFlowStep = LoadingStep | IdentifierStep | PasswordStep | CodeStep | AfterProofStep

/** The steps of a second factor alone, such as on a page to which another sign-in leads. */
export type SecondFactorFlowStep = LoadingStep | AfterProofStep | ExpiredStep

/** What a visitor types to sign up. Fields that the app has added are texts, too; the consent to the terms is `terms: "on"`. */
export interface SignUpFields {
  readonly email: string
  readonly password: string
  readonly name?: string | undefined
  readonly [field: string]: string | undefined
}

/** Asks for the address, the password and what else the app wants to know. What follows is the same for every address. */
export interface SignUpFormStep {
  readonly step: "identifier"
  /** The address that was typed before, after `back`. Otherwise empty. */
  readonly identifier: string
  /** Mails a code, and goes on to `code`. */
  readonly submit: (fields: SignUpFields) => Promise<void>
}

/** The steps of a sign-up. The account is created with the code. */
export type SignUpFlowStep = LoadingStep | SignUpFormStep | CodeStep | AfterProofStep

/** Asks for the address of the account. What follows is the same for every address. */
export interface ForgotStep {
  readonly step: "identifier"
  /** The address that was typed before, after `back`. Otherwise empty. */
  readonly identifier: string
  /** Mails a code, and goes on to `code`. */
  readonly submit: (email: string) => Promise<void>
}

/** Asks for the code of the email and for the new password. */
export interface NewPasswordStep extends Omit<CodeStep, "submit"> {
  /** Sets the password, ends all other sessions and signs in. A refused password uses up no guess at the code. */
  readonly submit: (fields: { readonly code: string; readonly password: string }) => Promise<void>
}

/** The steps of a forgotten password. */
export type PasswordResetFlowStep = LoadingStep | ForgotStep | NewPasswordStep | AfterProofStep
