import { component$ } from "@builder.io/qwik"
import type { DocumentHead, RequestHandler } from "@builder.io/qwik-city"

/** Caches may store the page for visitors who are not signed in. */
export const onGet: RequestHandler = ({ cacheControl }) => cacheControl({ public: true, maxAge: 60, sMaxAge: 600 })

export default component$(() => (
  <main>
    <h1>About</h1>
  </main>
))

export const head: DocumentHead = { title: "About" }
