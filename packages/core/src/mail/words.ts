/** The sentences of the sign-in mail. `{host}` and `{duration}` stand for what is filled in. */
export const mailWords = {
  subject: "Sign in to {host}",
  request: "Use this button to sign in. Nothing else is needed.",
  requestInText: "Open this link to sign in:",
  button: "Sign in",
  link: "If the button does not work, copy this link into your browser:",
  lifetime: "The link works once and for {duration}.",
  disclaimer: "If you did not ask for this, ignore it; nobody can sign in without it.",
} as const
