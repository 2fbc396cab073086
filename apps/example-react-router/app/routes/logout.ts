import { getAuth } from "@latchkey/react-router"
import { redirect } from "react-router"
import type { Route } from "./+types/logout"

export async function action({ context }: Route.ActionArgs) {
  return redirect(await getAuth(context).signOut({ redirectTo: "/" }), 303)
}
