import { useSession } from "@latchkey/react"
import { getAuth } from "@latchkey/react-router"
import { Form, Link } from "react-router"
import type { Route } from "./+types/home"

export const meta: Route.MetaFunction = () => [{ title: "React Router example" }]

export async function loader({ context }: Route.LoaderArgs) {
  const session = await getAuth(context).getSession()
  return { name: session?.user?.name ?? session?.user?.email ?? null }
}

const describe = (name: string | null | undefined) => (name ? `Signed in as ${name}` : "Not signed in")

export default function Home({ loaderData: { name } }: Route.ComponentProps) {
  const { data: session, update } = useSession()
  return (
    <>
      <h1>React Router example</h1>
      <p id="server-session">{describe(name)}</p>
      <p id="client-session">{describe(session?.user?.name ?? session?.user?.email)}</p>
      {name ? (
        <>
          <button type="button" onClick={() => update({ name: "Countess Ada" })}>
            Change my name
          </button>
          <Form action="/logout" method="post">
            <button type="submit">Sign out</button>
          </Form>
        </>
      ) : (
        <>
          <p>
            <Link className="button" to="/login">
              Sign in
            </Link>
          </p>
          <Form action="/login" method="post">
            <input type="hidden" name="providerId" value="demo" />
            <input type="hidden" name="redirectTo" value="/" />
            <button type="submit">Sign in with Demo ID</button>
          </Form>
        </>
      )}
      <p>
        <Link to="/private">Private page</Link>
      </p>
    </>
  )
}
