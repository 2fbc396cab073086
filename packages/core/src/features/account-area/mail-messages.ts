/** The messages of the mails about an account. `{host}` is the name of the site. */
export const accountMailMessages = {
  home: "Go to {host}",
  note: "This email was sent because your account was changed.",

  "change.subject": "Confirm your new address for {host}",
  "change.request":
    "Use this button in the browser where you are signed in, or type the code below there. Your account then has this address.",
  "change.inText": "Open this link in the browser where you are signed in:",
  "change.button": "Change address",
  "change.code": "Or type this code where you asked for it:",
  "change.note":
    "If you did not ask for it, ignore this email. Nothing changes without the link or the code. Do not give the code to anyone.",

  "taken.subject": "You already have an account at {host}",
  "taken.request":
    "Someone, perhaps you, wanted to use this address for another account. It has an account already: sign in with it.",
  "taken.note": "If it was not you, ignore this email. Nothing has changed.",

  "changed.subject": "The address of your account at {host} was changed",
  "changed.request":
    "The account now has the address {address}. If it was you, there is nothing to do. If not, undo the change now. Time left: {duration}.",
  "changed.button": "Undo the change",

  "restored.subject": "The address of your account at {host} was changed back",
  "restored.request":
    "Someone with access to the former address undid the change. All sessions were ended. If you do not know why, contact {host}.",

  "deleted.subject": "Your account at {host} was deleted",
  "deleted.request": "All of its data was deleted, too. If it was not you, contact {host}.",

  "planned.subject": "Your account at {host} will be deleted",
  "planned.request": "Your account will be deleted in {duration}. Sign in before then to keep it.",
  "planned.note": "If it was not you, sign in now and choose a new password.",

  "kept.subject": "Your account at {host} will not be deleted",
  "kept.request": "Someone signed in to it, so the deletion was canceled. To delete it, ask for it again.",
} as const
