import { type RequestEvent, redirect } from "@sveltejs/kit"
import type { FindRequestAuth } from "./session.js"

/**
 * A form action: `export const actions = { default: signIn }`, or a function that an action of the app calls.
 * @param form The fields, if the action has already read them: the body of a request can be read only once.
 */
export type FormAction = (event: RequestEvent, form?: FormData) => Promise<never>

/** The form actions of the service. */
export interface FormActions {
  /**
   * Starts a sign-in; with credentials or the code of a mail, completes it. Fields: `providerId`, `redirectTo` (default:
   * the page with the form), `authorizationParams-<name>` for the provider's authorization URL, and the provider's own
   * fields. Without a provider it redirects to the sign-in page.
   * @throws Redirect of SvelteKit, on success
   * @throws AuthError when the sign-in is rejected, such as `CredentialsSignin`
   */
  readonly signIn: FormAction
  /**
   * Ends the current session. Fields: `redirectTo` (default: the page with the form), and `atProvider` (`true` or `false`)
   * to sign out at the provider too.
   * @throws Redirect of SvelteKit, on success
   * @throws AuthError when the request is rejected
   */
  readonly signOut: FormAction
}

/** Creates the form actions. They call the service in this process, without an HTTP request. */
export function formActions(findRequestAuth: FindRequestAuth): FormActions {
  return {
    async signIn(event, form) {
      const { auth } = await findRequestAuth(event)
      return leave(await auth.signIn(form ?? (await readForm(event))))
    },
    async signOut(event, form) {
      const { auth } = await findRequestAuth(event)
      return leave(await auth.signOut(form ?? (await readForm(event))))
    },
  }
}

/** A GET request has no body; the service rejects it with the reason. */
async function readForm({ request }: RequestEvent): Promise<FormData | undefined> {
  return request.method === "GET" || request.method === "HEAD" ? undefined : await request.formData()
}

/** The URL may be external: the service has checked that it belongs to the app or to a provider. */
function leave(url: string): never {
  return redirect(302, url, { external: true })
}
