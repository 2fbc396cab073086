import { CredentialsSignin, getAuth } from "@latchkey/react-router"
import { data, Form, redirectDocument } from "react-router"
import type { Route } from "./+types/login"

export const meta: Route.MetaFunction = () => [{ title: "Sign in" }]

export function loader({ url }: Route.LoaderArgs) {
  return { redirectTo: url.searchParams.get("callbackUrl") ?? "/" }
}

export async function action({ request, context }: Route.ActionArgs) {
  try {
    return redirectDocument(await getAuth(context).signIn(await request.formData()), 303)
  } catch (error) {
    if (!(error instanceof CredentialsSignin)) throw error
    return data("Wrong user name or password.", 401)
  }
}

export default function Login({ loaderData: { redirectTo }, actionData: message }: Route.ComponentProps) {
  return (
    <>
      <h1>Sign in</h1>
      {message && <p role="alert">{message}</p>}
      <Form method="post">
        <input type="hidden" name="providerId" value="credentials" />
        <input type="hidden" name="redirectTo" value={redirectTo} />
        <label>
          User name <input name="username" autoComplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button type="submit">Sign in</button>
      </Form>
    </>
  )
}
