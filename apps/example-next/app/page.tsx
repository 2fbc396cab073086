import { SessionProvider } from "@latchkey/react"
import type { Metadata } from "next"
import Link from "next/link"
import { auth } from "../auth"
import { logOut, signInWithDemoId } from "./actions"
import { ChangeName, ClientSession } from "./client-session"

export const metadata: Metadata = { title: "Next.js example" }

export default async function Home() {
  const session = await auth()
  const name = session?.user?.name ?? session?.user?.email
  return (
    <>
      <h1>Next.js example</h1>
      <p id="server-session">{session ? `Signed in as ${name}` : "Not signed in"}</p>
      <SessionProvider session={session}>
        <ClientSession />
        {session && <ChangeName />}
      </SessionProvider>
      {session ? (
        <>
          <form action={logOut}>
            <button type="submit">Sign out</button>
          </form>
          <p>
            <Link href="/sessions">Your sessions</Link>
          </p>
          <p>
            <Link href="/profile">Your profile at Demo ID</Link>
          </p>
        </>
      ) : (
        <>
          <p>
            <Link className="button" href="/login">
              Sign in
            </Link>
          </p>
          <form action={signInWithDemoId}>
            <button type="submit">Sign in with Demo ID</button>
          </form>
        </>
      )}
      <p>
        <Link href="/private">Private page</Link>
      </p>
    </>
  )
}
