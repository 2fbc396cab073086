// Imported as `@latchkey/core/provider-logout`: signing out at the provider, and logouts that the provider sends.
export { LogoutTokenInvalid } from "../../errors/errors.js"
export { type ProviderLogoutOptions, providerLogout } from "./provider-logout.js"
