import { useSearchParams } from "@solidjs/router"
import { Show } from "solid-js"
import { logIn } from "~/session"

const messages: Readonly<Record<string, string>> = {
  CredentialsSignin: "Wrong user name or password.",
  TooManyRequests: "Too many attempts. Try again later.",
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

export default function Login() {
  const [params] = useSearchParams()
  return (
    <main>
      <h1>Sign in</h1>
      <Show when={first(params.error)}>{(error) => <p role="alert">{messages[error()] ?? "Sign-in failed."}</p>}</Show>
      <form action={logIn} method="post">
        <input type="hidden" name="providerId" value="credentials" />
        <input type="hidden" name="redirectTo" value={first(params.callbackUrl) ?? "/"} />
        <label>
          User name
          <input name="username" autocomplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit">Sign in</button>
      </form>
    </main>
  )
}
