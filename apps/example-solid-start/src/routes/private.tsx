import { createAsync, useLocation } from "@solidjs/router"
import { Show } from "solid-js"
import { requireUser } from "~/session"

export default function Private() {
  const location = useLocation()
  const user = createAsync(() => requireUser(location.pathname + location.search), { deferStream: true })
  return (
    <Show when={user()}>
      {(current) => (
        <main>
          <h1>Private</h1>
          <p>Only signed-in users see this page. You are {current().name}.</p>
          <p>
            <a href="/">Home</a>
          </p>
        </main>
      )}
    </Show>
  )
}
