import type { Metadata } from "next"
import { SignIn } from "../../components/auth/sign-in"
import { findLanguage } from "../language"

export const metadata: Metadata = { title: "Sign in" }

/** Without scripts, its form goes to `/login`, whose forms are server actions. */
export default async function SignInPage() {
  const language = await findLanguage()
  return <SignIn redirectTo="/" signUpUrl="/sign-up" forgotUrl="/reset-password" action="/login" language={language} />
}
