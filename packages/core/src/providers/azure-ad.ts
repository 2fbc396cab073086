// Imported as `@latchkey/core/providers/azure-ad`.

import type { OIDCConfig } from "../types/oauth-provider.js"
import { MicrosoftEntraID, type MicrosoftEntraIDOptions, type MicrosoftEntraIDProfile } from "./microsoft-entra-id.js"

/**
 * Microsoft Entra ID sign-in (OpenID Connect) under its former name, with the ID `azure-ad` and the scopes and
 * options of {@link MicrosoftEntraID}. Register the redirect URI `<origin>/auth/callback/azure-ad`.
 * @see https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
 * @deprecated Use {@link MicrosoftEntraID}. Keep this provider if your callback URLs or stored accounts use
 * `azure-ad`.
 */
export function AzureAD(options: MicrosoftEntraIDOptions = {}): OIDCConfig<MicrosoftEntraIDProfile> {
  return { ...MicrosoftEntraID(options), id: "azure-ad", name: "Azure Active Directory" }
}

export default AzureAD
