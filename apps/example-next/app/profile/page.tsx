import { AccessTokenUnavailable } from "@latchkey/core/access-tokens"
import type { Metadata } from "next"
import Link from "next/link"
import { redirect } from "next/navigation"
import { auth } from "../../auth"
import { callDemoId } from "../../demo-id"

export const metadata: Metadata = { title: "Your profile" }

/** Calls an API of Demo ID for the signed-in user. */
export default async function Profile() {
  if (!(await auth())) redirect("/login?callbackUrl=/profile")
  const profile = await findProfile()
  return (
    <>
      <h1>Your profile</h1>
      {profile ? (
        <p id="profile">
          Demo ID knows you as {profile.name}, {profile.email}.
        </p>
      ) : (
        <p role="alert">
          <Link href="/login?callbackUrl=/profile">Sign in with Demo ID</Link> to see this page.
        </p>
      )}
      <p>
        <Link href="/">Home</Link>
      </p>
    </>
  )
}

interface DemoIdProfile {
  readonly name: string
  readonly email: string
}

/** Null for a user who has no account there, such as one with a password. */
async function findProfile(): Promise<DemoIdProfile | null> {
  try {
    return await fetchProfile()
  } catch (error) {
    if (error instanceof AccessTokenUnavailable) return null
    throw error
  }
}

/** The provider's userinfo endpoint stands for any API that takes its access tokens. */
async function fetchProfile(): Promise<DemoIdProfile> {
  const discovered = await fetch(`${process.env.AUTH_DEMO_ISSUER}/.well-known/openid-configuration`)
  const { userinfo_endpoint } = (await discovered.json()) as { userinfo_endpoint: string }
  const answer = await callDemoId(userinfo_endpoint)
  if (!answer.ok) throw new Error(`Demo ID answered ${answer.status}`)
  return (await answer.json()) as DemoIdProfile
}
