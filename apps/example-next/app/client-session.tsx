"use client"

import { useSession } from "@latchkey/react"

export function ClientSession() {
  const { data: session } = useSession()
  const name = session?.user?.name ?? session?.user?.email
  return <p id="client-session">{session ? `Signed in as ${name}` : "Not signed in"}</p>
}

export function ChangeName() {
  const { update } = useSession()
  return (
    <button type="button" onClick={() => update({ name: "Countess Ada" })}>
      Change my name
    </button>
  )
}
