/** The messages of the form for passkeys. `{host}` is filled in everywhere. */
export const passkeyMessages = {
  signIn: "Sign in with a passkey",
  busy: "Waiting for your device…",
  new: "New here? Create a passkey",
  create: "Create a passkey",
  needsScript: "To sign in with a passkey, turn on JavaScript in this browser.",
  canceled:
    "That was canceled, took too long, or did not work on this device. Try again, or choose another way to sign in.",
  notAllowed: "This page is not allowed to use passkeys. Open {host} in its own window and try again.",
  alreadyRegistered: "This device already has a passkey for this account. You can sign in with it.",
  noAuthenticator:
    "This device does not support the required kind of passkey. Try another device or a security key, or choose another way to sign in.",
  wrongSite: "Passkeys do not work at this address. Open the site at its usual address and try again.",
  insecurePage: "Passkeys need a secure connection. Open the site with https and try again.",
  unsupported: "This browser cannot use passkeys. Try another browser, or choose another way to sign in.",
  network: "{host} could not be reached. Check your connection and try again.",
  unavailable: "That did not work, or took too long. Try again, or choose another way to sign in.",
  registrationRefused:
    "We could not create an account with these details. If you have one, sign in the way you did before. You can then add a passkey to your account.",
  failed: "The passkey did not work on this device. Try again, or choose another way to sign in.",
  unknown:
    "This passkey is not accepted here. It may have been removed. Try another one, or choose another way to sign in.",
} as const
