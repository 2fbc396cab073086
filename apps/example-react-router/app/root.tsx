import { SessionProvider } from "@latchkey/react"
import { getAuth } from "@latchkey/react-router"
import { Links, Meta, Outlet, Scripts, ScrollRestoration } from "react-router"
import type { Route } from "./+types/root"
import { auth } from "./auth.server"
import "./style.css"

export const middleware: Route.MiddlewareFunction[] = [auth.middleware]

export async function loader({ context }: Route.LoaderArgs) {
  return { session: await getAuth(context).getSession() }
}

export default function Root({ loaderData }: Route.ComponentProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <Meta />
        <Links />
      </head>
      <body>
        <main>
          <SessionProvider session={loaderData.session}>
            <Outlet />
          </SessionProvider>
        </main>
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  )
}
