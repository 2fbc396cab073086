"use client"

import { useActionState } from "react"
import { signInByPassword } from "../actions"

export function PasswordForm({ redirectTo }: { redirectTo: string }) {
  const [mistake, action, isPending] = useActionState(signInByPassword, null)
  return (
    <form action={action}>
      {mistake && <p role="alert">{mistake}</p>}
      <input type="hidden" name="redirectTo" value={redirectTo} />
      <label>
        User name <input name="username" autoComplete="username" required />
      </label>
      <label>
        Password <input type="password" name="password" autoComplete="current-password" required />
      </label>
      <button type="submit" disabled={isPending}>
        Sign in
      </button>
    </form>
  )
}
