import { AuthError } from "../../errors/auth-error.js"
import { DuplicateConditionalUI, InvalidConfiguration, MissingWebAuthnAutocomplete } from "../../errors/errors.js"
import { webAuthnScriptVersion } from "../../pages/generated/webauthn-script-version.js"
import { merge } from "../../runtime/merge.js"
import type { WebAuthnConfig } from "../../types/providers.js"
import type { ResolvedConfig } from "../../types/resolved.js"
import type { SignInMethod } from "../method.js"
import { validateFields } from "../option-rules.js"

/** Passkeys and security keys. Only the factories `Passkey` and `WebAuthn` refer to it, so other apps do not bundle it. */
export const webauthnMethod: SignInMethod<WebAuthnConfig> = {
  label: "a WebAuthn provider",
  environmentOptions: () => [],
  resolve: (facts, options) => merge(facts as WebAuthnConfig, options),
  validate(provider, path, config) {
    return validateFields(provider.formFields, `${path}.formFields`) ?? validateWebAuthn(provider, path, config)
  },
  adapterMethods: [
    "createUser",
    "getUser",
    "linkAccount",
    "getAccount",
    "getAuthenticator",
    "createAuthenticator",
    "listAuthenticatorsByUserId",
    "updateAuthenticatorCounter",
  ],
  accountCredential: "passkey",
  callbackMethods: () => ["POST"],
  isCallbackOurForm: true,
  serverStart: "page",
  async form(provider, { callbackUrl, toUrl }) {
    const { renderPasskeyForm: render } = await import("../../pages/passkey-form.js")
    return {
      kind: "passkey",
      id: provider.id,
      name: provider.name,
      callbackUrl,
      fields: provider.formFields ?? {},
      scriptUrl: `${toUrl("webauthn.js")}?v=${webAuthnScriptVersion}`,
      isDiscoverable: provider.registrationOptions?.authenticatorSelection?.residentKey === "required",
      hasAutofill: provider.enableConditionalUI === true,
      canSignUp: provider.enableSignUp !== false,
      render,
    }
  },
  findSentence: async (code, frame) => (await import("../../pages/passkey-form.js")).passkeySentence(code, frame),
  script: {
    version: webAuthnScriptVersion,
    load: async () => (await import("../../pages/generated/webauthn-script.js")).webAuthnScript,
  },
  load: async (deps) => (await import("./steps.js")).webauthnSteps(deps),
}

const versionPattern = /^v\d+(\.\d+){0,2}$/

/** Checks in the order of the contract. */
function validateWebAuthn(
  provider: WebAuthnConfig,
  path: string,
  { providers }: Pick<ResolvedConfig, "providers">,
): AuthError | null {
  const { simpleWebAuthnBrowserVersion: version, enableConditionalUI } = provider
  if (version && !(typeof version === "string" && versionPattern.test(version))) {
    return new AuthError(`${path}.simpleWebAuthnBrowserVersion: must be like v14.0.0, or false`)
  }
  if (enableConditionalUI && providers.filter(hasConditionalUI).length > 1) {
    return new DuplicateConditionalUI(
      `${path}.enableConditionalUI: only one provider can have it. Set it to false here`,
    )
  }
  if (enableConditionalUI && !hasAutocomplete(provider)) {
    const sentence = "conditional UI needs a field whose autocomplete contains webauthn"
    return new MissingWebAuthnAutocomplete(`${path}.formFields: ${sentence}`)
  }
  return validateRelyingParty(provider, path)
}

function hasConditionalUI(provider: ResolvedConfig["providers"][number]): boolean {
  return provider.type === "webauthn" && provider.enableConditionalUI === true
}

function hasAutocomplete({ formFields }: WebAuthnConfig): boolean {
  return Object.values(formFields ?? {}).some(({ autocomplete }) => String(autocomplete ?? "").includes("webauthn"))
}

/** Browsers reject an id with a scheme or a port. Origins are compared as text. */
function validateRelyingParty({ relayingParty }: WebAuthnConfig, path: string): AuthError | null {
  const wrongId = [relayingParty?.id ?? []].flat().some((id) => typeof id !== "string" || /[/:?#@\s]/.test(id))
  if (wrongId) return new InvalidConfiguration(`${path}.relayingParty.id: must be a domain, such as example.com`)
  const wrongOrigin = [relayingParty?.origin ?? []]
    .flat()
    .some((origin) => typeof origin !== "string" || origin.endsWith("/"))
  if (!wrongOrigin) return null
  return new InvalidConfiguration(`${path}.relayingParty.origin: must be an origin, such as https://app.example.com`)
}
