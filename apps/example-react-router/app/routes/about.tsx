import type { Route } from "./+types/about"

export const meta: Route.MetaFunction = () => [{ title: "About" }]

/** For visitors without a session. For others, whose session the root reads, the page becomes private. */
export const headers: Route.HeadersFunction = () => ({ "cache-control": "public, s-maxage=600" })

export default function About() {
  return <h1>About</h1>
}
