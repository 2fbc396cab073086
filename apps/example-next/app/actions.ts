"use server"

import { CredentialsSignin } from "@latchkey/next"
import { signIn, signOut } from "../auth"

export async function signInByDemo() {
  await signIn("demo", { redirectTo: "/" })
}

export async function signInByMail(form: FormData) {
  await signIn("nodemailer", form)
}

/** What went wrong, for the form to show. */
export async function signInByPassword(_previous: string | null, form: FormData): Promise<string | null> {
  try {
    return await signIn("credentials", form)
  } catch (error) {
    if (error instanceof CredentialsSignin) return "That user name or password is wrong."
    throw error
  }
}

export async function leave() {
  await signOut({ redirectTo: "/" })
}
