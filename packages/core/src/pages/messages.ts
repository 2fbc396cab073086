import { directionOf, type Language, toLanguage } from "./language.js"

/** Every sentence on the built-in pages. Names in braces are placeholders; `{host}` is filled in everywhere. */
const english = {
  "title.page": "{page} – {host}",
  "title.afterError": "{error} – {page}",

  "signIn.title": "Sign In",
  "signIn.heading": "Sign in to {host}",
  "signIn.with": "Sign in with {provider}",
  "signIn.withEmail": "Sign in with email",
  "signIn.withPassword": "Sign in with password",
  "signIn.withPasskey": "Sign in with a passkey",
  "signIn.or": "or",
  "signIn.more": "More ways to sign in",
  "signIn.none": "No sign-in method is available right now.",
  "signIn.email": "Email",

  "signOut.title": "Sign Out",
  "signOut.heading": "Sign out of {host}?",
  "signOut.button": "Sign out",
  "signOut.stay": "Stay signed in",

  "verifyRequest.heading": "Check your email",
  "verifyRequest.sent":
    "We sent a sign-in link to the address you entered. It works once and expires after {duration}.",
  "verifyRequest.sentOnce": "We sent a sign-in link to the address you entered. It works once.",
  "verifyRequest.missing": "Nothing there? Check your spam folder, or send it again.",
  "verifyRequest.again": "Send it again",

  "code.sent": "We sent an email to {address}. Type its six digits here, or open its link in this browser.",
  "code.label": "Code",
  "code.button": "Sign in",
  "code.wrong": "That code is not right. Check the newest email and type its six digits.",
  "code.wrongTitle": "Wrong code",
  "code.missing": "Nothing there? Check your spam folder, or send it again. Only the newest code works.",
  "code.otherAddress": "Use another address",
  "code.spentHeading": "This code no longer works",
  "code.spentText": "Open the link in the email, or request a new code below.",
  "code.guessesText":
    "It was tried too often, or a newer one replaced it. Use the newest email, or request another below.",

  "confirmLink.heading": "Sign in to {host}?",
  "confirmLink.text": "You opened a sign-in link for {address}. It signs you in here, in this browser.",
  "confirmLink.textWithoutAddress": "You opened a sign-in link. It signs you in here, in this browser.",
  "confirmLink.button": "Sign in",
  "confirmLink.code": "Did you ask in another browser? You can also type the six digits of the email there.",
  "confirmLink.foreign":
    "Did you not ask for this link, or is this not your address? Then close this page. Nothing has happened.",

  "showCode.heading": "Your sign-in code",
  "showCode.text": "Type this code where you asked to sign in to {host}:",
  "showCode.lifetime": "It works for {duration} after you asked for it.",
  "showCode.foreign": "Did you not ask for it? Then close this page, and do not tell anyone the code.",

  "link.tryAgain": "Try again",
  "link.otherWay": "Sign in another way",
  "link.newLink": "Request a new link",
  "link.signIn": "Sign in",
  "link.back": "Back to {host}",

  "notFound.heading": "This page does not exist",
  "notFound.text": "Check the address, or go back to {host}.",
  "general.heading": "Sign-in did not work",
  "general.text": "Try again, or choose another way to sign in.",
  "accessDenied.heading": "You do not have access",
  "accessDenied.text": "This account is not allowed to sign in here. If you think it should be, contact {host}.",
  "canceled.heading": "Sign-in was canceled",
  "canceled.text": "Nothing has changed. You can try again or choose another way.",
  "configuration.heading": "Sign-in is not available right now",
  "configuration.text": "The people who run {host} have been given the details.",
  "invalidLink.heading": "This link does not work",
  "invalidLink.text": "Its address is incomplete or wrong. Start again from the sign-in page.",
  "staleFlow.heading": "This sign-in cannot be completed",
  "staleFlow.text": "It took too long, or began in another browser or window. Start again.",
  "notSetUp.heading": "This way to sign in is not set up",
  "notSetUp.text": "Choose another way to sign in. The people who run {host} have been given the details.",
  "credentials.text": "That sign-in did not work. Check what you typed and try again.",
  "email.heading": "The email could not be sent",
  "email.text": "Check the address and try again in a moment.",
  "email.address": "That is not an address we can write to. Check it and try again.",
  "email.notSent": "This is not your mistake. Try again in a moment, or sign in another way.",
  "foreignForm.heading": "This form was not accepted",
  "foreignForm.text":
    "It came from another address than this site expects. If the address in your browser is right, tell the people who run {host}.",
  "notLinked.heading": "This email already has an account",
  "notLinked.text": "Sign in the way you did before. You can then add this one to your account.",
  "provider.heading": "{provider} did not respond as expected",
  "provider.headingUnnamed": "The sign-in service did not respond as expected",
  "provider.text": "This is usually temporary. Try again, or choose another way to sign in.",
  "sessionRequired.heading": "Please sign in to continue",
  "sessionRequired.text": "You will return to the page you were on.",
  "staleForm.heading": "This page was open too long",
  "staleForm.text": "Please try again.",
  "tooMany.heading": "Please wait a moment",
  "tooMany.text": "There were too many attempts in a short time.",
  "tooMany.wait": "You can try again in {duration}.",
  "verification.heading": "This link no longer works",
  "verification.text": "It was already used, or it has expired. Request a new one below.",

  "passkey.heading": "The passkey could not be verified",
  "passkey.text": "Try again, or choose another way to sign in.",
  "passkey.busy": "Waiting for your device…",
  "passkey.new": "New here? Create a passkey",
  "passkey.create": "Create a passkey",
  "passkey.needsScript": "To sign in with {provider}, turn on JavaScript in this browser.",
  "passkey.canceled":
    "That was canceled, took too long, or did not work on this device. Try again, or choose another way to sign in.",
  "passkey.notAllowed": "This page is not allowed to use passkeys. Open {host} in its own window and try again.",
  "passkey.alreadyRegistered": "This device already has a passkey for this account. You can sign in with it.",
  "passkey.noAuthenticator":
    "This device does not support the required kind of passkey. Try another device or a security key, or choose another way to sign in.",
  "passkey.wrongSite": "Passkeys do not work at this address. Open the site at its usual address and try again.",
  "passkey.insecurePage": "Passkeys need a secure connection. Open the site with https and try again.",
  "passkey.unsupported": "This browser cannot use passkeys. Try another browser, or choose another way to sign in.",
  "passkey.network": "{host} could not be reached. Check your connection and try again.",
  "passkey.unavailable": "That did not work, or took too long. Try again, or choose another way to sign in.",
  "passkey.registrationRefused":
    "We could not create an account with these details. If you have one, sign in the way you did before. You can then add a passkey to your account.",
  "passkey.failed": "The passkey did not work on this device. Try again, or choose another way to sign in.",
  "passkey.unknown":
    "This passkey is not accepted here. It may have been removed. Try another one, or choose another way to sign in.",

  reference: "Reference: {reference}",
  "developer.heading": "For the developer",
  "developer.audience": "Shown in development only.",
} as const

export type MessageId = keyof typeof english

const catalogs: Readonly<Record<Language, Readonly<Record<MessageId, string>>>> = { en: english }

/** The messages of one page, in the frame's language. */
export interface Translator {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  /**
   * @param values Replace the placeholders of the message, as they are: braces in a value stay. `host` is the site's
   *   name unless given; other missing values become empty.
   */
  translate(id: MessageId, values?: Readonly<Record<string, string>>): string
}

export function createTranslator(frame: { readonly language: string; readonly siteName: string }): Translator {
  const language = toLanguage(frame.language)
  return {
    language,
    direction: directionOf(language),
    translate: (id, values) => fillIn(catalogs[language][id], { host: frame.siteName, ...values }),
  }
}

/** Replaces the placeholders of a message. */
export function fillIn(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(/\{([a-z]+)\}/gi, (_, name: string) => values[name] ?? "")
}
