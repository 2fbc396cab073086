// A Qwik City app that moved: the plugin, and a route that guards a page.

import GitHub from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"
import type { Session } from "@latchkey/core/types"
import { QwikAuth$ } from "@latchkey/qwik"

export const { onRequest, useSession, useSignIn, useSignOut } = QwikAuth$(({ env }) => ({
  secret: env.get("AUTH_SECRET"),
  trustHost: true,
  providers: [Google, GitHub({ clientId: env.get("GITHUB_ID") ?? "", clientSecret: env.get("GITHUB_SECRET") ?? "" })],
}))

export const fixed = QwikAuth$(() => ({ providers: [GitHub] }))

/** The parts of Qwik City's `RequestEvent` that the guard reads. */
interface Event {
  // biome-ignore lint/suspicious/noExplicitAny: as in the declarations of Qwik City.
  readonly sharedMap: Map<string, any>
  readonly url: URL
  redirect(status: 302, url: string): Error
}

export const guard = (event: Event): void => {
  const session: Session | null = event.sharedMap.get("session")
  if (!session || new Date(session.expires) < new Date()) {
    throw event.redirect(302, `/auth/signin?callbackUrl=${event.url.pathname}`)
  }
}

export function usePage() {
  const session = useSession()
  const signIn = useSignIn()
  const signOut = useSignOut()
  return {
    name: session.value?.user?.name,
    enter: () => signIn.submit({ providerId: "github", redirectTo: "/dashboard" }),
    withOptions: () => signIn.submit({ providerId: "github", options: { redirectTo: "/dashboard" } }),
    leave: () => signOut.submit({ redirectTo: "/" }),
  }
}
