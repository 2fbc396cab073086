import { useSearchParams } from "@solidjs/router"
import { Show } from "solid-js"
import { logIn } from "~/session"

const messages: Readonly<Record<string, string>> = {
  CredentialsSignin: "That user name or password is wrong.",
  TooManyRequests: "That was often. Wait a little before you try again.",
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

export default function Login() {
  const [params] = useSearchParams()
  return (
    <main>
      <h1>Sign in</h1>
      <Show when={first(params.error)}>
        {(error) => <p role="alert">{messages[error()] ?? "That sign-in did not work."}</p>}
      </Show>
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
