// Type-checked without Node's types: what a host's page sees of the client.
import { PasskeyError, type SignInResponse, signIn, webAuthnClient } from "@latchkey/client/webauthn"

export const staying: Promise<SignInResponse> = signIn("passkey", { action: "authenticate", redirect: false })
export const going: Promise<SignInResponse | undefined> = signIn("passkey", {
  action: "register",
  email: "a@b.example",
})
export const elsewhere = webAuthnClient({ basePath: "/api/auth" })
export const isCancelled = (error: unknown): boolean => error instanceof PasskeyError && error.code === "cancelled"
