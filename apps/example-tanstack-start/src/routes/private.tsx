import { createFileRoute, Link, redirect } from "@tanstack/react-router"
import { findSession } from "../session"

export const Route = createFileRoute("/private")({
  head: () => ({ meta: [{ title: "Private" }] }),
  beforeLoad: async ({ location }) => {
    const session = await findSession()
    if (!session) throw redirect({ to: "/login", search: { callbackUrl: location.href } })
    return { name: session.user.name }
  },
  loader: ({ context }) => context.name,
  component: Private,
})

function Private() {
  return (
    <>
      <h1>Private</h1>
      <p>Only signed-in users see this page. You are {Route.useLoaderData()}.</p>
      <p>
        <Link to="/">Home</Link>
      </p>
    </>
  )
}
