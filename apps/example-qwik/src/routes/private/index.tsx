import { component$ } from "@builder.io/qwik"
import type { DocumentHead, RequestHandler } from "@builder.io/qwik-city"
import type { Session } from "@latchkey/qwik"
import { useSession } from "../plugin@auth"

/** Guard each page individually: a layout does not run when only the data of a page are requested. */
export const onRequest: RequestHandler = ({ sharedMap, url, redirect }) => {
  const session: Session | null = sharedMap.get("session")
  if (!session?.user) throw redirect(302, `/login?callbackUrl=${encodeURIComponent(url.pathname + url.search)}`)
}

export default component$(() => {
  const session = useSession()
  return (
    <main>
      <h1>Private</h1>
      <p>Only signed-in users see this page. You are {session.value?.user?.name}.</p>
      <p>
        <a href="/">Home</a>
      </p>
    </main>
  )
})

export const head: DocumentHead = { title: "Private" }
