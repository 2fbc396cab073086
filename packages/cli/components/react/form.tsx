"use client"

import type { FlowError } from "@latchkey/react/flows"
import type { ComponentProps, FormEvent, ReactNode } from "react"
import "./auth.css"

interface AuthFormProps {
  readonly button: string
  /** Where the form goes without scripts. Default: the page that it is on. */
  readonly action?: string | undefined
  readonly error: Pick<FlowError, "message"> | null
  readonly isPending: boolean
  readonly submit: (fields: Record<string, string>) => Promise<unknown>
  readonly children?: ReactNode
}

/** A form with its problem above, and one button below. */
export function AuthForm({ button, action, error, isPending, submit, children }: AuthFormProps) {
  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const entries = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)])
    void submit(Object.fromEntries(entries))
  }
  // Without scripts, a form that is not a POST would put the password into the address.
  return (
    <form className="auth-form" method="post" action={action} onSubmit={send}>
      {error && (
        <p className="auth-problem" role="alert">
          {error.message}
        </p>
      )}
      {children}
      <button className="auth-button" type="submit" aria-busy={isPending}>
        {button}
      </button>
    </form>
  )
}

interface AuthFieldProps extends ComponentProps<"input"> {
  readonly name: string
  readonly label: string
}

export function AuthField({ label, ...input }: AuthFieldProps) {
  return (
    <label className="auth-label">
      {label}
      <input className="auth-input" required {...input} />
    </label>
  )
}

interface AuthLinkProps {
  readonly href?: string
  readonly onPress?: () => Promise<unknown>
  readonly children: ReactNode
}

/** What leads elsewhere: a link, or a button that is not the answer to the question. */
export function AuthLink({ href, onPress, children }: AuthLinkProps) {
  if (href !== undefined) {
    return (
      <a className="auth-link" href={href}>
        {children}
      </a>
    )
  }
  return (
    <button className="auth-link" type="button" onClick={() => void onPress?.()}>
      {children}
    </button>
  )
}
