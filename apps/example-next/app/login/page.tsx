import type { Metadata } from "next"
import { sendSignInLink } from "../actions"
import { PasswordForm } from "./password-form"

export const metadata: Metadata = { title: "Sign in" }

interface Props {
  searchParams: Promise<{ callbackUrl?: string | string[] }>
}

export default async function Login({ searchParams }: Props) {
  const { callbackUrl } = await searchParams
  const redirectTo = typeof callbackUrl === "string" ? callbackUrl : "/"
  return (
    <>
      <h1>Sign in</h1>
      <PasswordForm redirectTo={redirectTo} />
      <form action={sendSignInLink}>
        <input type="hidden" name="redirectTo" value={redirectTo} />
        <label>
          Email <input type="email" name="email" autoComplete="email" required />
        </label>
        <button type="submit">Send a sign-in link</button>
      </form>
    </>
  )
}
