import type { ProviderConfig } from "../../types/providers.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import type { SignInMethod } from "../method.js"
import { resolveOAuthProvider } from "./resolve.js"
import { validateOAuth } from "./validate.js"

/** OAuth 2.0 and OpenID Connect. */
export const oauthMethod: SignInMethod<ResolvedOAuthProvider> = {
  label: "an OAuth provider",
  environmentOptions({ optionRules }: ProviderConfig) {
    const options = ["clientId", "clientSecret", "issuer"] as const
    return optionRules?.["apiKey"] ? [...options, "apiKey"] : options
  },
  resolve: resolveOAuthProvider,
  validate: validateOAuth,
  warnings({ checks, allowDangerousEmailAccountLinking }) {
    return [
      ...(checks.includes("none") ? (["checks-none"] as const) : []),
      ...(allowDangerousEmailAccountLinking ? (["email-linking-enabled"] as const) : []),
    ]
  },
  adapterMethods: [],
  callbackMethod: ({ isFormPost }) => (isFormPost ? "POST" : "GET"),
  isCallbackOurForm: false,
  serverStart: "signin",
  form({ id, name, style }, { signinUrl }) {
    const mark: unknown = style?.mark
    return {
      kind: "redirect",
      id,
      name,
      signinUrl,
      logo: style?.logo,
      mark: typeof mark === "string" ? mark : undefined,
    }
  },
  pageSources({ style, authorization, issuer, wellKnown }) {
    return {
      images: [style?.logo],
      formTargets: [authorization.url && String(authorization.url), issuer, wellKnown],
    }
  },
  load: async (deps) => (await import("./steps.js")).oauthSteps(deps),
}
