import { component$ } from "@builder.io/qwik"
import { type DocumentHead, Form, useLocation } from "@builder.io/qwik-city"
import { useSignIn } from "../plugin@auth"

const messages: Readonly<Record<string, string>> = {
  CredentialsSignin: "That user name or password is wrong.",
  TooManyRequests: "That was often. Wait a little before you try again.",
}

export default component$(() => {
  const signIn = useSignIn()
  const { searchParams } = useLocation().url
  const error = searchParams.get("error")
  return (
    <main>
      <h1>Sign in</h1>
      {error && <p role="alert">{messages[error] ?? "That sign-in did not work."}</p>}
      <Form action={signIn}>
        <input type="hidden" name="providerId" value="credentials" />
        <input type="hidden" name="redirectTo" value={searchParams.get("callbackUrl") ?? "/"} />
        <label>
          User name
          <input name="username" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button type="submit">Sign in</button>
      </Form>
    </main>
  )
})

export const head: DocumentHead = { title: "Sign in" }
