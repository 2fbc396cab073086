import { createFileRoute } from "@tanstack/react-router"
import { logIn } from "../session"

export const Route = createFileRoute("/login")({
  validateSearch: ({ callbackUrl, error }: Record<string, unknown>): { callbackUrl?: string; error?: string } => ({
    ...(typeof callbackUrl === "string" && { callbackUrl }),
    ...(typeof error === "string" && { error }),
  }),
  head: () => ({ meta: [{ title: "Sign in" }] }),
  component: Login,
})

function Login() {
  const { callbackUrl = "/", error } = Route.useSearch()
  return (
    <>
      <h1>Sign in</h1>
      {error && <p role="alert">{error === "credentials" ? "Wrong user name or password." : "Sign-in failed."}</p>}
      <form action={logIn.url} method="post">
        <input type="hidden" name="providerId" value="credentials" />
        <input type="hidden" name="redirectTo" value={callbackUrl} />
        <label>
          User name <input name="username" autoComplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button type="submit">Sign in</button>
      </form>
    </>
  )
}
