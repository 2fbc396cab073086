import { type ActionAnswer, readSignInForm, signIn, signOut } from "@latchkey/core/integration"
import { type RequestEvent, redirect } from "@sveltejs/kit"
import type { Visitor } from "./visitor.js"
import type { VisitorFinder } from "./visitors.js"

/**
 * A form action: `export const actions = { default: signIn }`, or called by an action of the app.
 * @param form The fields, where the action has read them already: a request's body can be read once.
 */
export type FormAction = (event: RequestEvent, form?: FormData) => Promise<never>

export interface FormActions {
  /**
   * Begins a sign-in; with credentials, completes it. Fields: `providerId`, `redirectTo` (default: the page with the
   * form), `authorizationParams-<name>` for the provider's authorization URL, and what the provider asks for. Without a
   * provider the visitor chooses on the sign-in page.
   * @throws Redirect, as SvelteKit expects it, when all is well
   * @throws AuthError for everything that refuses the sign-in, such as `CredentialsSignin`
   */
  readonly signIn: FormAction
  /**
   * Ends the session. Field: `redirectTo` (default: the page with the form).
   * @throws Redirect, as SvelteKit expects it
   * @throws AuthError
   */
  readonly signOut: FormAction
}

export function formActions(findVisitor: VisitorFinder): FormActions {
  return {
    async signIn(event, form) {
      const visitor = await findVisitor(event)
      const wish = readSignInForm(form ?? (await event.request.formData()))
      return leave(visitor, await signIn(visitor.caller, visitor.settings, wish))
    },
    async signOut(event, form) {
      const visitor = await findVisitor(event)
      const { redirectTo } = readSignInForm(form ?? (await event.request.formData()))
      return leave(visitor, await signOut(visitor.caller, visitor.settings, { redirectTo }))
    },
  }
}

/** The service has looked at the URL: it is the app's, or a provider's. */
function leave(visitor: Visitor, { url, cookies }: ActionAnswer): never {
  visitor.setCookies(cookies)
  return redirect(302, url, { external: true })
}
