import type { Metadata } from "next"
import { ResetPassword } from "../../components/auth/reset-password"
import { findLanguage } from "../language"

export const metadata: Metadata = { title: "Choose a new password" }

export default async function ResetPasswordPage() {
  const language = await findLanguage()
  return <ResetPassword redirectTo="/" signInUrl="/sign-in" action="/api/auth/password/forgot" language={language} />
}
