import { createAsync, useLocation } from "@solidjs/router"
import { Show } from "solid-js"
import { getVisitor } from "~/session"

export default function Private() {
  const location = useLocation()
  const visitor = createAsync(() => getVisitor(location.pathname + location.search), { deferStream: true })
  return (
    <Show when={visitor()}>
      {(user) => (
        <main>
          <h1>Private</h1>
          <p>Only {user().name} sees this.</p>
          <p>
            <a href="/">Home</a>
          </p>
        </main>
      )}
    </Show>
  )
}
