import { codeMaxAgeSeconds } from "../mail/secret.js"
import type { Language } from "../pages/language.js"
import { fillIn, type Translator } from "../pages/messages.js"
import type { PasswordFault } from "../passwords/text.js"
import { formatDuration } from "../theme/duration.js"

/** The sentences of the pages. `{host}` is the name of the site, `{least}` the least number of characters. */
const english = {
  "link.forgot": "Forgot password?",
  "link.signUp": "Create an account",
  "link.signIn": "Sign in",
  "link.again": "Ask for another email",
  "link.back": "Back to {host}",
  email: "Email",
  name: "Name (optional)",
  password: "Password",
  newPassword: "New password",
  currentPassword: "Current password",
  code: "Code",
  hint: "At least {least} characters. A few words that only you would put together do well.",
  "signUp.heading": "Create an account",
  "signUp.button": "Create account",
  "signUp.known": "Already have an account?",
  "signUp.codeHeading": "Check your email",
  "signUp.code":
    "We sent a link and a six-digit code to {address}. Open the link, or enter the code here within {duration}.",
  "signUp.chooseHeading": "Choose a password",
  "signUp.choose": "Your address is confirmed. The password that was chosen elsewhere is not used: choose one here.",
  "forgot.heading": "Forgot your password?",
  "forgot.text": "Enter your address. We will send you a link and a code to choose a new one.",
  "forgot.button": "Send email",
  "reset.heading": "Choose a new password",
  "reset.code":
    "We sent a link and a six-digit code to {address}. Enter the code within {duration}, with your new password.",
  "reset.text": "All other sessions of your account will be ended.",
  "reset.button": "Save password",
  "change.heading": "Change your password",
  "change.done": "Your password was changed. All other sessions were ended.",
  "add.heading": "Add a password",
  "add.text": "Your account has no password yet. We will send a code to {address}.",
  "add.button": "Send code",
  "fresh.heading": "Please sign in again",
  "fresh.text": "Your password can be changed within ten minutes of signing in.",
  "code.missing": "Nothing there? Look in the spam folder, or ask for another email.",
  "error.missing": "Enter a password.",
  "error.too-short": "The password needs at least {least} characters.",
  "error.too-long": "The password is too long.",
  "error.characters": "The password has a character that cannot be typed everywhere.",
  "error.blocked":
    "This password is easy to guess: it is little more than your address, our name, or a repetition. Choose another one.",
  "error.breached":
    "This password is on a list of passwords that were made public. Choose another one, and change it wherever you use it.",
  "error.same-as-before": "This is your current password. Choose another one.",
  "error.current": "The current password is wrong.",
  "error.email": "That is not an address we can write to. Check it and try again.",
  "error.mail": "The email could not be sent. This is not your mistake: try again in a moment.",
  "error.code": "That code is not right. Check it and try again.",
  "error.link":
    "This link or code no longer works: it was used, is too old, or something has changed since. Ask for a new one.",
  "error.title": "Error",
} as const

export type WordId = keyof typeof english

const catalogs: Readonly<Record<Language, Readonly<Record<WordId, string>>>> = { en: english }

/** The words of one page, in the language of its frame. */
export type Words = (id: WordId) => string

export interface WordValues {
  readonly host: string
  readonly least: number
  readonly address?: string | undefined
}

export function createWords({ language }: Pick<Translator, "language">, values: WordValues): Words {
  const { host, least, address = "" } = values
  const duration = formatDuration(codeMaxAgeSeconds, language)
  return (id) => fillIn(catalogs[language][id], { host, least: String(least), address, duration })
}

/** One sentence in every language, for a link on another page. */
export function everyLanguage(id: WordId): Readonly<Record<Language, string>> {
  return { en: catalogs.en[id] }
}

export function toFaultWord(code: PasswordFault): WordId {
  return `error.${code}`
}
