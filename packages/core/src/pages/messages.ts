import { directionOf, type Language, toLanguage } from "./language.js"

/** Every sentence of the built-in pages. What stands in braces is filled in. */
const english = {
  "title.page": "{page} – {host}",
  "title.afterError": "{error} – {page}",

  "signIn.title": "Sign In",
  "signIn.heading": "Sign in",
  "signIn.with": "Sign in with {provider}",
  "signIn.or": "or",
  "signIn.more": "More ways to sign in",
  "signIn.none": "There is no way to sign in here at the moment.",
  "signIn.email": "Email",

  "signOut.title": "Sign Out",
  "signOut.heading": "Sign out of {host}?",
  "signOut.button": "Sign out",
  "signOut.stay": "Stay signed in",

  "verifyRequest.heading": "Check your email",
  "verifyRequest.sent": "We sent a sign-in link to the address you gave. It works once and for {duration}.",
  "verifyRequest.sentOnce": "We sent a sign-in link to the address you gave. It works once.",
  "verifyRequest.missing": "Nothing there? Look in the spam folder, or send it again.",
  "verifyRequest.again": "Send it again",

  "way.tryAgain": "Try again",
  "way.otherWay": "Sign in another way",
  "way.newLink": "Ask for a new link",
  "way.signIn": "Sign in",
  "way.back": "Back to {host}",

  "credentials.text": "That sign-in did not work. Check what you typed and try again.",
  "notLinked.heading": "This email already has an account",
  "notLinked.text": "Sign in the way you did before. Afterwards you can add this one in your account.",
  "cancelled.heading": "Sign-in was cancelled",
  "cancelled.text": "Nothing has changed. You can try again or choose another way.",
  "provider.heading": "{provider} did not answer as expected",
  "provider.headingUnnamed": "The sign-in service did not answer as expected",
  "provider.text": "This is usually brief. Try again, or choose another way to sign in.",
  "email.heading": "The email could not be sent",
  "email.text": "Check the address and try again in a moment.",
  "sessionRequired.heading": "Please sign in to continue",
  "sessionRequired.text": "You will return to the page you were on.",
  "staleForm.heading": "This page had been open too long",
  "staleForm.text": "Please try again; it will work now.",
  "verification.heading": "This link no longer works",
  "verification.text": "It was used already, or it is too old. Ask for a new one below.",
  "accessDenied.heading": "You do not have access",
  "accessDenied.text": "This account may not sign in here. If you think it should, contact {host}.",
  "configuration.heading": "Sign-in is not available right now",
  "configuration.text": "The people who run {host} have been given the details.",
  "passkey.heading": "The passkey could not be checked",
  "passkey.text": "Try again, or choose another way to sign in.",
  "passkey.busy": "Waiting for your device…",
  "passkey.new": "New here? Create a passkey",
  "passkey.create": "Create a passkey",
  "passkey.needsScript": "To sign in with {provider}, JavaScript has to be switched on in this browser.",
  "passkey.cancelled":
    "That was cancelled, took too long, or did not work on this device. Try again, or choose another way to sign in.",
  "passkey.notAllowed": "This page may not use passkeys. Open {host} in a window of its own and try again.",
  "passkey.alreadyRegistered": "This device already has a passkey for this account. You can sign in with it.",
  "passkey.noAuthenticator":
    "This device does not have the kind of passkey that is needed here. Try another device or a security key, or choose another way to sign in.",
  "passkey.wrongSite": "Passkeys do not work at this address. Open the site by its usual address and try again.",
  "passkey.insecurePage": "Passkeys need a secure connection. Open the site with https and try again.",
  "passkey.unsupported": "This browser cannot use passkeys. Try another browser, or choose another way to sign in.",
  "passkey.network": "{host} could not be reached. Check your connection and try again.",
  "passkey.unavailable": "That did not work, or took too long. Try again, or choose another way to sign in.",
  "passkey.registrationRefused":
    "No account can be created with this. If you have one, sign in the way you did before. Afterwards you can add a passkey in your account.",
  "passkey.failed": "The passkey did not work on this device. Try again, or choose another way to sign in.",
  "passkey.unknown":
    "This passkey is not accepted here. It may have been removed. Try another one, or choose another way to sign in.",
  "tooMany.heading": "Please wait a moment",
  "tooMany.text": "There were too many tries in a short time.",
  "tooMany.wait": "You can try again in {duration}.",
  "general.heading": "Sign-in did not work",
  "general.text": "Try again, or choose another way to sign in.",

  reference: "Reference: {reference}",
  "developer.heading": "For the developer",
  "developer.audience": "Shown in development only.",
} as const

export type MessageId = keyof typeof english

type Catalogue = Readonly<Record<MessageId, string>>

const catalogues: Readonly<Record<Language, Catalogue>> = { en: english }

/**
 * One sentence of the catalogue.
 * @param values What stands for the names in braces. They are text, never read for braces themselves.
 */
export function translate(language: Language, id: MessageId, values: Readonly<Record<string, string>> = {}): string {
  return catalogues[language][id].replace(/\{([a-z]+)\}/gi, (_, name: string) => values[name] ?? "")
}

/** The words of one page: the frame's language, with the site's name filled in wherever a sentence has `{host}`. */
export interface Translator {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  say(id: MessageId, values?: Readonly<Record<string, string>>): string
}

export function createTranslator(frame: { readonly language: string; readonly siteName: string }): Translator {
  const language = toLanguage(frame.language)
  return {
    language,
    direction: directionOf(language),
    say: (id, values) => translate(language, id, { host: frame.siteName, ...values }),
  }
}
