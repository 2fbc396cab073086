/** The messages of the mails about passwords. `{host}` is the name of the site. */
export const passwordMailMessages = {
  choose: "Choose a new password",

  "sign-up.subject": "Confirm your address for {host}",
  "sign-up.request": "Use this button to finish creating your account, or the code below.",
  "sign-up.inText": "Open this link to finish creating your account:",
  "sign-up.button": "Create account",
  "sign-up.code": "Or type this code where you chose your password:",
  "sign-up.note":
    "If you did not ask for an account, ignore this email. No account is created without the link or the code. Do not give the code to anyone.",

  "known.subject": "You already have an account at {host}",
  "known.request":
    "Someone, perhaps you, asked for an account with this address. There is one already: sign in with it.",
  "known.note": "If it was not you, ignore this email. Nothing has changed.",

  "reset.subject": "Choose a new password for {host}",
  "reset.request": "Use this button to choose a new password, or the code below.",
  "reset.inText": "Open this link to choose a new password:",
  "reset.code": "Or type this code where you asked for it:",
  "reset.note": "If you did not ask for it, ignore this email: your password stays. Do not give the code to anyone.",

  "unknown.subject": "No account at {host} with this address",
  "unknown.request":
    "Someone, perhaps you, asked for a new password. There is no account with this address: try another one.",
  "unknown.button": "Go to {host}",
  "unknown.note": "If it was not you, ignore this email.",

  "no-password.subject": "Your account at {host} has no password",
  "no-password.request": "Sign in the way you did before. Afterwards you can choose a password.",
  "no-password.note": "If you did not ask for a new password, ignore this email. Nothing has changed.",

  "add.subject": "Add a password at {host}",
  "add.request": "Use the code below to choose a password for your account.",
  "add.inText": "Choose a password on this page, with the code below:",
  "add.button": "Choose a password",
  "add.code": "Type this code where you asked for it:",
  "add.note":
    "If you did not ask for it, someone is signed in to your account: sign in and end the other sessions. Do not give the code to anyone.",

  "changed.subject": "Your password at {host} was changed",
  "changed.request":
    "All other sessions were ended. If it was you, there is nothing to do. If not, choose a new password now.",
  "changed.note": "This email was sent because your password was changed.",

  "added.subject": "A password was added to your account at {host}",
  "added.request":
    "All other sessions were ended. If it was you, there is nothing to do. If not, choose a new password now.",
  "added.note": "This email was sent because your account was changed.",

  "guessed.subject": "A sign-in at {host} after many wrong passwords",
  "guessed.request":
    "Someone signed in with your password after many wrong ones. If it was not you, choose a new password now.",
  "guessed.note": "This email was sent because of the wrong passwords.",

  "breached.subject": "Your {host} password appeared in a data breach",
  "breached.request":
    "Your password is on a list of passwords from data breaches, perhaps of another site. Choose a new one now.",
  "breached.note": "This email was sent because of the sign-in that just took place.",
} as const
