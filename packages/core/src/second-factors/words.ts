import type { Language } from "../pages/language.js"
import { fillIn, type Translator } from "../pages/messages.js"

/** The sentences of the pages for second factors. `{host}` is filled in everywhere. */
const english = {
  "code.heading": "Enter your code",
  "code.text": "Open your authenticator app and enter the six-digit code for {host}.",
  "code.label": "Code",
  "code.appLabel": "Code from your authenticator app",
  "code.button": "Continue",
  "code.recovery": "Use a recovery code instead",
  "recovery.heading": "Enter a recovery code",
  "recovery.text": "Each of the codes that you saved works once.",
  "recovery.label": "Recovery code",
  "recovery.totp": "Use your authenticator app instead",
  "wrong.heading": "That code did not work",
  "wrong.text": "It may be mistyped, too old, or used before. Wait for a new one and try again.",
  "wrong.recovery": "It may be mistyped or used before. Check it and try again.",
  "enroll.heading": "Set up a second step",
  "enroll.text": "{host} asks for a code besides your usual sign-in. Scan this with an authenticator app.",
  "enroll.textNoQr": "{host} asks for a code besides your usual sign-in. Add it to an authenticator app with this key.",
  "enroll.qr": "QR code for your authenticator app",
  "enroll.key": "Setup key",
  "enroll.keyHint": "Cannot scan it? Enter this key in the app.",
  "enroll.label": "Code from the app",
  "saved.heading": "Save your recovery codes",
  "saved.text": "Each of them signs you in once, if you lose your authenticator app. They are not shown again.",
  "saved.button": "Continue to {host}",
  "link.other": "Sign in another way",
  "code.remember": "Do not ask again on this device for {days} days",
  "passkey.heading": "Use your passkey",
  "passkey.text": "{host} asks for your passkey besides your usual sign-in.",
  "confirm.heading": "Confirm that it is you",
  "confirm.text": "{host} asks again before you go on.",
  "confirm.next": "Thank you. One more step is needed.",
  "confirm.password": "Confirm with {provider}",
  "confirm.email": "Email me a code",
  "confirm.provider": "Sign in again with {provider}",
  "confirm.signIn": "Sign in again",
  "confirm.none": "This needs a step that your account does not have yet. Set it up first, or sign in another way.",
  "confirm.back": "Back to {host}",
  "confirm.wrong": "That did not work",
  "confirm.wrongText": "Check what you typed and try again.",
} as const

export type WordId = keyof typeof english

const catalogs: Readonly<Record<Language, Readonly<Record<WordId, string>>>> = { en: english }

/** The words of one page, in the language of its frame. */
export type Words = (id: WordId, values?: Readonly<Record<string, string>>) => string

export function createWords({ language }: Translator, host: string): Words {
  return (id, values) => fillIn(catalogs[language][id], { host, ...values })
}
