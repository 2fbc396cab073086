import { SessionProvider } from "@latchkey/react"
import { createRootRoute, HeadContent, Outlet, Scripts } from "@tanstack/react-router"
import { findSession } from "../session"
import styles from "../style.css?url"

export const Route = createRootRoute({
  head: () => ({
    meta: [{ charSet: "utf-8" }, { name: "viewport", content: "width=device-width, initial-scale=1" }],
    links: [
      { rel: "icon", href: "data:," },
      { rel: "stylesheet", href: styles },
    ],
  }),
  loader: () => findSession(),
  component: Root,
})

function Root() {
  const session = Route.useLoaderData()
  return (
    <html lang="en">
      <head>
        <HeadContent />
      </head>
      <body>
        <main>
          <SessionProvider session={session}>
            <Outlet />
          </SessionProvider>
        </main>
        <Scripts />
      </body>
    </html>
  )
}
