// Imported as `@latchkey/core/providers/azure-ad`.

import type { OIDCConfig } from "../types/oauth-provider.js"
import { MicrosoftEntraID, type MicrosoftEntraIDOptions, type MicrosoftEntraIDProfile } from "./microsoft-entra-id.js"

/**
 * Microsoft Entra ID under its former name and the id `azure-ad`, with the scopes and options of {@link
 * MicrosoftEntraID}. Register the redirect URI `<origin>/auth/callback/azure-ad`.
 * @see https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
 * @deprecated Use {@link MicrosoftEntraID}; keep this one where callback URLs or stored accounts name `azure-ad`.
 */
export function AzureAD(options: MicrosoftEntraIDOptions = {}): OIDCConfig<MicrosoftEntraIDProfile> {
  return { ...MicrosoftEntraID(options), id: "azure-ad", name: "Azure Active Directory" }
}

export default AzureAD
