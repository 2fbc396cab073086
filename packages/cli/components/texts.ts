/** What the components say in English. Errors come from the service, in the visitor's language. */
const en = {
  signIn: "Sign in",
  signOut: "Sign out",
  email: "Email",
  password: "Password",
  next: "Continue",
  back: "Use another email address",
  mailCode: "Email me a code instead",
  passkey: "Sign in with a passkey",
  provider: (name: string) => `Continue with ${name}`,
  forgot: "Forgot your password?",
  signUp: "Create an account",
  createAccount: "Create account",
  hasAccount: "Sign in instead",
  fullName: "Name (optional)",
  agree: "I agree to the terms of service",
  forgotText: "Enter your address. We will send you a link and a code to choose a new one.",
  sendEmail: "Send email",
  newPassword: "New password",
  savePassword: "Save password",
  checkEmail: (address: string) => (address ? `We sent an email to ${address}.` : "We sent you an email."),
  openLink: "Open the link in it to go on.",
  code: "Code",
  resend: "Send it again",
  loading: "One moment…",
  retry: "Try again",
  secondFactor: "Confirm that it is you",
  totp: "Code of your authenticator app",
  recovery: "Recovery code",
  remember: (days: number) => `Do not ask again in this browser for ${days} days`,
  otherFactor: { totp: "Use an authenticator app", passkey: "Use a passkey", recovery: "Use a recovery code" },
  enroll: "Scan the picture with an authenticator app, or type this key into it:",
  saveCodes: "Keep these codes in a safe place. Each of them replaces your second factor once.",
  saved: "I have saved them",
  openPage: "Go on",
  account: "Account",
  name: "Name",
  save: "Save",
  confirm: "Confirm that it is you first",
  sessions: "Where you are signed in",
  unknownDevice: "Unknown device",
  thisBrowser: "this browser",
  end: "Sign out there",
  failed: "That did not work. Try again.",
  everything: "Password, passkeys and second factors",
}

export type Texts = typeof en

const languages: Readonly<Record<string, Texts>> = { en }

/** @param language its tag, such as `de`. English where there are no texts in it. */
export const findTexts = (language = "en"): Texts => languages[language] ?? en
