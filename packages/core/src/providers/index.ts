// Imported as `@latchkey/core/providers`.
export { Apple, type AppleProfile } from "./apple.js"
export { Auth0, type Auth0Profile } from "./auth0.js"
export { AzureAD } from "./azure-ad.js"
export { Credentials, type CredentialsOptions } from "./credentials.js"
export { Email } from "./email.js"
export { GitHub, type GitHubOptions, type GitHubProfile } from "./github.js"
export { Google, type GoogleProfile } from "./google.js"
export { Keycloak, type KeycloakProfile } from "./keycloak.js"
export {
  MicrosoftEntraID,
  type MicrosoftEntraIDOptions,
  type MicrosoftEntraIDProfile,
} from "./microsoft-entra-id.js"
export { Nodemailer, type NodemailerOptions, type NodemailerServer } from "./nodemailer.js"
export { OpenIDConnect, type OpenIDConnectOptions } from "./oidc.js"
