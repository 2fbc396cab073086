import type { Metadata } from "next"
import Link from "next/link"
import { CodeForm } from "./code-form"

export const metadata: Metadata = { title: "Check your email" }

export default function CheckEmail() {
  return (
    <>
      <h1>Check your email</h1>
      <p>We sent you a link and six digits. Open the link in this browser, or type the digits here.</p>
      <CodeForm />
      <p>
        <Link href="/login">Ask for another email</Link>
      </p>
    </>
  )
}
