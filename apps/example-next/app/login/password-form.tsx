"use client"

import { useActionState } from "react"
import { signInWithPassword } from "../actions"

export function PasswordForm({ redirectTo }: { redirectTo: string }) {
  const [message, action, isPending] = useActionState(signInWithPassword, null)
  return (
    <form action={action}>
      {message && <p role="alert">{message}</p>}
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
