import type { Metadata } from "next"
import { SignUp } from "../../components/auth/sign-up"
import { findLanguage } from "../language"

export const metadata: Metadata = { title: "Create an account" }

export default async function SignUpPage() {
  const language = await findLanguage()
  return <SignUp redirectTo="/" signInUrl="/sign-in" action="/api/auth/password/sign-up" language={language} />
}
