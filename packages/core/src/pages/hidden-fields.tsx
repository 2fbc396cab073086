import type { JSX } from "preact"

export interface HiddenFieldsProps {
  /** Undefined when the host has switched the check off. */
  readonly csrfToken: string | undefined
  readonly callbackUrl: string
}

/** What every form of the built-in pages sends along. */
export function HiddenFields({ csrfToken, callbackUrl }: HiddenFieldsProps): JSX.Element {
  return (
    <>
      {csrfToken !== undefined && <input type="hidden" name="csrfToken" value={csrfToken} />}
      <input type="hidden" name="callbackUrl" value={callbackUrl} />
    </>
  )
}
