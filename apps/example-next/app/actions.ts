"use server"

import { AuthError, CredentialsSignin } from "@latchkey/next"
import { redirect } from "next/navigation"
import { endOtherSessions, endSession, signIn, signOut } from "../auth"

export async function signInWithDemoId() {
  await signIn("demo", { redirectTo: "/" })
}

export async function sendSignInLink(form: FormData) {
  await signIn("nodemailer", form)
}

/** Works in the browser that asked for the mail. Returns an error message for the form to show. */
export async function submitCode(_previous: string | null, form: FormData): Promise<string | null> {
  try {
    return await signIn("nodemailer", form)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return error.type === "CodeWrong"
      ? "That code is not right. Check the newest email and type its six digits."
      : "That code no longer works. Ask for another email."
  }
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

export async function endOneSession(form: FormData) {
  await endSession(String(form.get("id"))).catch(askToSignInAgain)
  redirect("/sessions")
}

export async function endAllOtherSessions() {
  await endOtherSessions().catch(askToSignInAgain)
  redirect("/sessions")
}

/** A thief of the cookie must not sign out its owner, so ending other sessions needs a recent sign-in. */
function askToSignInAgain(error: unknown): never {
  if (error instanceof AuthError && error.type === "FreshnessRequired") redirect(`/sessions?error=${error.type}`)
  throw error
}
