import { useSession } from "@latchkey/react"
import { createFileRoute, Link } from "@tanstack/react-router"
import { findSession, logIn, logOut } from "../session"

export const Route = createFileRoute("/")({
  head: () => ({ meta: [{ title: "TanStack Start example" }] }),
  loader: () => findSession(),
  component: Home,
})

const describe = (name: string | null | undefined) => (name ? `Signed in as ${name}` : "Not signed in")

function Home() {
  const user = Route.useLoaderData()?.user
  const name = user?.name
  const { data: session, update } = useSession()
  return (
    <>
      <h1>TanStack Start example</h1>
      <p id="server-session">{describe(name)}</p>
      <p id="client-session">{describe(session?.user?.name ?? session?.user?.email)}</p>
      {name ? (
        <>
          <button type="button" onClick={() => update({ name: "Countess Ada" })}>
            Change my name
          </button>
          <form action={logOut.url} method="post">
            <button type="submit">Sign out</button>
          </form>
        </>
      ) : (
        <>
          <p>
            <Link className="button" to="/login">
              Sign in
            </Link>
          </p>
          <form action={logIn.url} method="post">
            <input type="hidden" name="providerId" value="demo" />
            <input type="hidden" name="redirectTo" value="/" />
            <button type="submit">Sign in with Demo ID</button>
          </form>
        </>
      )}
      <p>
        <Link to="/private">Private page</Link>
      </p>
    </>
  )
}
