import type { Metadata } from "next"
import Link from "next/link"
import { redirect } from "next/navigation"
import { auth } from "../../auth"

export const metadata: Metadata = { title: "Private" }

export default async function Private() {
  const session = await auth()
  // The proxy checks too, but a page with its own check stays private when the proxy's matcher changes.
  if (!session) redirect("/login?callbackUrl=/private")
  return (
    <>
      <h1>Private</h1>
      <p>Only signed-in users see this page. You are {session.user?.name ?? session.user?.email}.</p>
      <p>
        <Link href="/">Home</Link>
      </p>
    </>
  )
}
