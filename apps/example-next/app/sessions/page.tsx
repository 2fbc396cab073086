import type { SessionView } from "@latchkey/core/sessions"
import type { Metadata } from "next"
import Link from "next/link"
import { redirect } from "next/navigation"
import { listSessions } from "../../auth"
import { endAllOtherSessions, endOneSession } from "../actions"

export const metadata: Metadata = { title: "Your sessions" }

interface Props {
  searchParams: Promise<{ error?: string | string[] }>
}

export default async function Sessions({ searchParams }: Props) {
  const sessions = await listSessions()
  if (sessions.length === 0) redirect("/login?callbackUrl=/sessions")
  const { error } = await searchParams
  return (
    <>
      <h1>Your sessions</h1>
      {error === "FreshnessRequired" && (
        <p role="alert">
          You signed in more than ten minutes ago. <Link href="/login?callbackUrl=/sessions">Sign in again</Link> to end
          other sessions.
        </p>
      )}
      <ul className="sessions">
        {sessions.map((session) => (
          <SessionItem key={session.id} {...session} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <form action={endAllOtherSessions}>
          <button type="submit">End all others</button>
        </form>
      )}
      <p>
        <Link href="/">Home</Link>
      </p>
    </>
  )
}

function SessionItem({ id, device, network, createdAt, lastSeenAt, isCurrent }: SessionView) {
  const name = device ?? "Unknown device"
  return (
    <li>
      <div>
        <strong>{name}</strong>
        {isCurrent && <small>This browser</small>}
        <small>
          Signed in <Time date={createdAt} />
        </small>
        <small>
          Last used <Time date={lastSeenAt} />
        </small>
        {network && <small>Network {network}</small>}
      </div>
      {!isCurrent && (
        <form action={endOneSession}>
          <input type="hidden" name="id" value={id} />
          <button type="submit" className="quiet" aria-label={`End the session of ${name}`}>
            End
          </button>
        </form>
      )}
    </li>
  )
}

const timeFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })

function Time({ date }: { date: Date }) {
  return <time dateTime={date.toISOString()}>{timeFormat.format(date)} UTC</time>
}
