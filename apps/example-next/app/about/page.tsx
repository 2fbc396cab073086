import type { Metadata } from "next"

export const metadata: Metadata = { title: "About" }

/** Prerendered: caches may store it for visitors who are not signed in. */
export default function About() {
  return <h1>About</h1>
}
