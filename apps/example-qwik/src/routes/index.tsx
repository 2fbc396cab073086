import { component$ } from "@builder.io/qwik"
import { type DocumentHead, Form } from "@builder.io/qwik-city"
import { useSession, useSignIn, useSignOut } from "./plugin@auth"

export default component$(() => {
  const session = useSession()
  const signIn = useSignIn()
  const signOut = useSignOut()
  const name = session.value?.user?.name ?? session.value?.user?.email
  return (
    <main>
      <h1>Qwik City example</h1>
      <p id="server-session">{session.value?.user ? `Signed in as ${name}` : "Not signed in"}</p>
      {session.value?.user ? (
        <Form action={signOut}>
          <input type="hidden" name="redirectTo" value="/" />
          <button type="submit">Sign out</button>
        </Form>
      ) : (
        <>
          <p>
            <a class="button" href="/login">
              Sign in
            </a>
          </p>
          <Form action={signIn}>
            <input type="hidden" name="providerId" value="demo" />
            <input type="hidden" name="redirectTo" value="/" />
            <button type="submit">Sign in with Demo ID</button>
          </Form>
        </>
      )}
      <p>
        <a href="/private">Private page</a>
      </p>
    </main>
  )
})

export const head: DocumentHead = { title: "Qwik City example" }
