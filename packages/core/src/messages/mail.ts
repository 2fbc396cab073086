/** The messages of the sign-in mail. `{host}` is the name of the site. */
export const mailMessages = {
  subject: "Sign in to {host}",
  request: "Use this button to sign in. Nothing else is needed.",
  requestWithCode: "Use this button to sign in, or the code below.",
  requestInText: "Open this link to sign in:",
  code: "Or type this code where you asked to sign in:",
  button: "Sign in",
  link: "If the button does not work, copy this link into your browser:",
  lifetime: "The link works once and for {duration}.",
  lifetimeOfBoth: "The code works for {code}, the link for {link}. After one of them is used, neither works.",
  disclaimer: "If you did not request this email, ignore it. No one can sign in without the link.",
  disclaimerOfBoth:
    "If you did not request this email, ignore it. No one can sign in without the link or the code. Do not give the code to anyone.",
} as const
