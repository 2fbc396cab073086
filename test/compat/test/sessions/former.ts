import type { AcceptedSource } from "@latchkey/core/types"
import express, { type Express } from "express"
import type { Page } from "playwright-core"

// Small apps with the published libraries: `GET /` names the user, and `/login` has the form of a sign-in.

export interface Former {
  readonly app: Express
  /** What the page about the library says to pass. */
  readonly accept: readonly AcceptedSource[]
  readonly userId: string
  readonly cookie: string
  /** Whether our app has no store, as theirs. */
  readonly isStateless?: boolean
  /** The sessions that the library still has, if it stores them. */
  readonly countSessions?: () => number | Promise<number>
  /** The account at a provider by which our app knows the user. */
  readonly account?: { readonly provider: string; readonly providerAccountId: string }
  /** Signs in where the login is not the form of the app. */
  readonly logIn?: (page: Page) => Promise<void>
  /** Stops what the app needs. */
  readonly close?: () => unknown
}

/** The day when everybody has moved. */
export const until = new Date(Date.now() + 90 * 86_400_000)
export const secret = "the secret of the former app, 0123456789-abcdef"

export const address = "ada@example.com"
export const password = "correct horse battery staple"

export const isRight = (fields: { readonly username?: unknown; readonly password?: unknown } | undefined) =>
  fields?.username === address && fields.password === password

export const toPage = (name: string | null | undefined): string =>
  `<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:," /><main><p>${name ?? "nobody"}</p></main></html>`

const form = `<!doctype html><html lang="en"><title>Login</title><link rel="icon" href="data:," /><form method="post">
<input name="username" /><input name="password" type="password" /><button>Sign in</button></form></html>`

export const openApp = (): Express => express().use(express.urlencoded({ extended: false }))
export const openAppWithForm = (): Express => openApp().get("/login", (_, res) => void res.send(form))
