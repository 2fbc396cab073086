import { getSession, type Session, updateSession } from "@latchkey/solid-start/client"
import { createAsync } from "@solidjs/router"
import { createSignal, onMount, Show } from "solid-js"
import { findUser, logIn, logOut } from "~/session"

const describe = (user: { name?: string | null; email?: string | null } | null | undefined) =>
  user ? `Signed in as ${user.name ?? user.email}` : "Not signed in"

export default function Home() {
  const user = createAsync(() => findUser(), { deferStream: true })
  const [session, setSession] = createSignal<Session | null>()
  onMount(async () => setSession(await getSession()))
  const rename = async () => setSession(await updateSession({ name: "Countess Ada" }))
  return (
    <main>
      <h1>SolidStart example</h1>
      <p id="server-session">{describe(user())}</p>
      <p id="client-session">{session() === undefined ? "" : describe(session()?.user)}</p>
      <Show
        when={user()}
        fallback={
          <>
            <p>
              <a class="button" href="/login">
                Sign in
              </a>
            </p>
            <form action={logIn} method="post">
              <input type="hidden" name="providerId" value="demo" />
              <input type="hidden" name="redirectTo" value="/" />
              <button type="submit">Sign in with Demo ID</button>
            </form>
          </>
        }
      >
        <button type="button" onClick={rename}>
          Change my name
        </button>
        <form action={logOut} method="post">
          <input type="hidden" name="redirectTo" value="/" />
          <button type="submit">Sign out</button>
        </form>
      </Show>
      <p>
        <a href="/private">Private page</a>
      </p>
    </main>
  )
}
