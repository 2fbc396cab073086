import type { UserAuth } from "@latchkey/core/integration"
import type { AuthConfig, Session } from "@latchkey/core/types"
import type { Handler } from "../browser/navigation.js"

/** The members of `auth` that answer a form of the app, for one request. */
export interface FormActions {
  getSession(): Promise<Session | null>
  /** Returns where it leads. */
  signIn(form: FormData): Promise<string>
  /** Returns where it leads. */
  signOut(form?: FormData): Promise<string>
  updateSession(data: unknown): Promise<Session | null>
}

/** An app that has the service at `/auth`, and answers all requests for `/form` with one route. */
export interface FormApp {
  readonly origin: string
  readonly handler: Handler
}

/** What an app runs to answer a request with a framework's own form actions. */
export type FormRoute = (auth: FormActions) => Promise<Response>

/** Starts an app. The configuration is frozen, because the app's object must not be written to. */
export type OpenFormApp = (config: AuthConfig, route: FormRoute) => FormApp | Promise<FormApp>

/**
 * What an app runs to answer a request: a page, a server route, an action. Null if the framework has sent the response. The
 * app passes on what the route throws, as its framework does.
 */
export type AppRoute = (auth: UserAuth<Response | null>) => Promise<Response | null>

/** Like {@link OpenFormApp}, with the whole `auth` of a request. */
export type OpenApp = (config: AuthConfig, route: AppRoute) => FormApp | Promise<FormApp>
