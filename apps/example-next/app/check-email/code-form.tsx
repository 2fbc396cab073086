"use client"

import { useActionState } from "react"
import { submitCode } from "../actions"

export function CodeForm() {
  const [message, action, isPending] = useActionState(submitCode, null)
  return (
    <form action={action}>
      {message && <p role="alert">{message}</p>}
      <label>
        Code <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
      </label>
      <button type="submit" disabled={isPending}>
        Sign in
      </button>
    </form>
  )
}
