import type { AccountCredential } from "../account/unfinished.js"
import type { AuthError } from "../errors/auth-error.js"
import type { ActionContext, Feature } from "../features/feature.js"
import type { AuthRequest } from "../http/request.js"
import type { PageFrame } from "../pages/document.js"
import type { FormModel } from "../pages/form-model.js"
import type { ProviderOption } from "../runtime/environment.js"
import type { Adapter } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"
import type { WarningCode } from "../types/logger.js"
import type { Provider, ProviderConfig } from "../types/providers.js"
import type { ResolvedConfig, ResolvedProvider } from "../types/resolved.js"
import type { SignInSteps } from "./steps.js"

/**
 * A way to sign in. Everything that depends on a provider's type is decided here, and nowhere else.
 *
 * This half is needed before the first request, so it is small. The half that handles requests is imported later.
 */
export interface SignInMethod<P extends ResolvedProvider = ResolvedProvider> {
  /** As in "an email provider", for messages about the configuration. */
  readonly label: string
  /** What the method brings besides a way to sign in, such as routes. */
  readonly feature?: Feature
  /** Fills in the options of providers inside of this one. `fill` sets those that environment variables set. */
  fillNested?(provider: ProviderConfig, fill: (nested: Provider) => ProviderConfig): ProviderConfig
  /** Options that can be set by environment variables, such as `AUTH_GITHUB_ID` for `clientId`. */
  environmentOptions(provider: ProviderConfig): readonly ProviderOption[]
  /**
   * Fills in defaults.
   * @param facts The provider without its `options`.
   * @param options The host's options, which override the facts.
   */
  resolve(facts: ProviderConfig, options: object | undefined, redirectProxyUrl: string | undefined): P
  /**
   * Checks the options of one provider.
   * @param path The path of the provider, for messages.
   */
  validate(provider: P, path: string, config: ResolvedConfig): AuthError | null
  /**
   * What keeps visitors from signing in with this provider, although the service can answer every other request. It is
   * logged at the start, and refuses each sign-in with the provider. A method that has it checks `optionRules` itself.
   */
  findDefect?(provider: P, path: string): AuthError | null
  /** Options that weaken security, to be reported once. */
  warnings?(provider: P): readonly WarningCode[]
  /** What the adapter must be able to do. */
  readonly adapterMethods: readonly (keyof Adapter)[]
  /** The credential with which a person can hold an account without a verified email address. */
  readonly accountCredential?: AccountCredential

  /** The HTTP methods of `callback/<id>`. */
  callbackMethods(provider: P): readonly AuthRequest["method"][]
  /** Whether a POST to the callback is a form on one of our pages, which must send the CSRF token. */
  readonly isCallbackOurForm: boolean
  /**
   * How `signIn` on the server starts this method: by `POST signin/<id>`, by `POST callback/<id>` with the form's
   * fields, or by sending the browser to the sign-in page.
   */
  readonly serverStart: "signin" | "callback" | "page"
  /** The field of a form that completes what `signin` began: with it, `signIn` on the server posts to `callback/<id>`. */
  readonly completingField?: string

  /** What the sign-in page shows for this provider. */
  form(provider: P, urls: ProviderUrls): Awaitable<FormModel>
  /** Imports the sentence for an error of its form, by its code, for clients with a form of their own. Default: that of the pages. */
  findSentence?(code: string, frame: Pick<PageFrame, "locale" | "siteName">): Promise<string | undefined>
  /** What the pages' Content-Security-Policy must allow for this provider. */
  pageSources?(provider: P): PageSources
  /** The script that completes the form, served as `webauthn.js`. */
  readonly script?: PageScript

  /** Imports the code that handles requests. `auth.ts` has that of the methods that plain objects may have. */
  load?(deps: MethodDeps): Promise<SignInSteps<P>>
}

/** The collaborators of every method. */
export type MethodDeps = ActionContext

/** URLs that a form on the sign-in page can use. */
export interface ProviderUrls {
  readonly signinUrl: string
  readonly callbackUrl: string
  /** The URL of an action. */
  readonly toUrl: (path: string) => string
}

/** Sources for the Content-Security-Policy of the built-in pages. */
export interface PageSources {
  readonly images?: readonly (string | undefined)[]
  /** URLs that a form may redirect to. */
  readonly formTargets?: readonly (string | undefined)[]
}

/** A script for the built-in pages. */
export interface PageScript {
  /** Part of the script's URL. Changes with the script. */
  readonly version: string
  load(): Promise<string>
}
