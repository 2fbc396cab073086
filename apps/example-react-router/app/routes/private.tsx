import { getAuth, requireAuth } from "@latchkey/react-router"
import { Link } from "react-router"
import type { Route } from "./+types/private"

export const middleware: Route.MiddlewareFunction[] = [requireAuth]

export const meta: Route.MetaFunction = () => [{ title: "Private" }]

export async function loader({ context }: Route.LoaderArgs) {
  const session = await getAuth(context).getSession()
  return { name: session?.user?.name }
}

export default function Private({ loaderData: { name } }: Route.ComponentProps) {
  return (
    <>
      <h1>Private</h1>
      <p>Only signed-in users see this page. You are {name}.</p>
      <p>
        <Link to="/">Home</Link>
      </p>
    </>
  )
}
