/** The messages of the page that asks before an app is signed in. `{host}` and `{app}` are filled in everywhere. */
export const nativeMessages = {
  heading: "Sign in to {app}?",
  text: "You are signed in to {host} as {account}. {app} on this device will be signed in with this account.",
  textWithoutAccount: "You are signed in to {host}. {app} on this device will be signed in with this account.",
  warning: "Continue only if you have just started this in {app}.",
  continue: "Continue to {app}",
  cancel: "Cancel",
  other: "Use another account",
} as const
