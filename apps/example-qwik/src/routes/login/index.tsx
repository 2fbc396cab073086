import { component$ } from "@builder.io/qwik"
import { type DocumentHead, Form, useLocation } from "@builder.io/qwik-city"
import { useSignIn } from "../plugin@auth"

const messages: Readonly<Record<string, string>> = {
  CredentialsSignin: "Wrong user name or password.",
  TooManyRequests: "Too many attempts. Try again later.",
}

export default component$(() => {
  const signIn = useSignIn()
  const { searchParams } = useLocation().url
  const error = searchParams.get("error")
  return (
    <main>
      <h1>Sign in</h1>
      {error && <p role="alert">{messages[error] ?? "Sign-in failed."}</p>}
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
