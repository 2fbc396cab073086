"use server"

import { CredentialsSignin } from "@latchkey/next"
import { signIn, signOut } from "../auth"

export async function signInWithDemoId() {
  await signIn("demo", { redirectTo: "/" })
}

export async function sendSignInLink(form: FormData) {
  await signIn("nodemailer", form)
}

/** Returns an error message for the form to show. */
export async function signInWithPassword(_previous: string | null, form: FormData): Promise<string | null> {
  try {
    return await signIn("credentials", form)
  } catch (error) {
    if (error instanceof CredentialsSignin) return "Wrong user name or password."
    throw error
  }
}

export async function logOut() {
  await signOut({ redirectTo: "/" })
}
