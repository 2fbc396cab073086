// Imported as `@latchkey/testkit`.
export { type AdapterCall, type MemoryAdapter, memoryAdapter } from "./adapter/memory-adapter.js"
export { type AuthenticatorApp, authenticatorApp } from "./authenticator/authenticator-app.js"
export type { CredentialAlg, CredentialKey } from "./authenticator/credential-key.js"
export { CborMap, type CborValue } from "./authenticator/encoding.js"
export { type PasskeyClient, type PasskeyClientOptions, passkeyClient } from "./authenticator/passkey-client.js"
export {
  type AuthenticatorOptions,
  type SoftwareAuthenticator,
  type SoftwareCredential,
  softwareAuthenticator,
  toStoredId,
} from "./authenticator/software-authenticator.js"
export type {
  Attestation,
  AuthenticationJson,
  AuthenticatorFlags,
  CreationOptionsJson,
  Misbehavior,
  RegistrationJson,
  RequestOptionsJson,
} from "./authenticator/webauthn-types.js"
export type { AuthClient, SignInFields, SignOutFields } from "./browser/auth-client.js"
export {
  type Browser,
  type BrowserCookies,
  type BrowserOptions,
  type CookieAttributes,
  createBrowser,
} from "./browser/browser.js"
export type { RefusedCookie, StoredCookie } from "./browser/cookie-jar.js"
export type { FilledFields, Form, FormEntries, SubmitButton } from "./browser/form.js"
export { type Handler, type Hop, type Network, overHttp } from "./browser/navigation.js"
export type { Page, PageElement } from "./browser/page.js"
export type { SameSite } from "./browser/set-cookie.js"
export type { RequestOptions, Tab } from "./browser/tab.js"
export { type HostParts, type TestHost, type TestHostOptions, testHost } from "./host/test-host.js"
export type { Client, ClientAuthMethod, RegisteredClient } from "./identity-provider/client.js"
export type { Endpoint, Incoming } from "./identity-provider/endpoint.js"
export type { Effects, Fault, FaultContext, FaultPoints, FaultStage } from "./identity-provider/faults/fault.js"
export { type FaultName, type FaultSwitches, faultNames, faults } from "./identity-provider/faults/faults.js"
export {
  type FakeIdentityProvider,
  fakeIdentityProvider,
  type IdentityProviderOptions,
} from "./identity-provider/identity-provider.js"
export type { SigningAlg } from "./identity-provider/keys.js"
export {
  type LogoutTarget,
  type LogoutTokenOptions,
  type WrongLogoutTokenName,
  wrongLogoutTokenNames,
} from "./identity-provider/logout.js"
export { ada, type Person } from "./identity-provider/person.js"
export type { IssuedSecret } from "./identity-provider/provider-state.js"
export { type Canaries, type Canary, createCanaries, findLeaks, type Leak } from "./log/leaks.js"
export {
  type DebugRecord,
  type EventName,
  type RecordedAnswer,
  type RecordingEvents,
  type RecordingHandler,
  type RecordingLogger,
  recordingEvents,
  recordingHandler,
  recordingLogger,
} from "./log/recorders.js"
export { type MailScanner, mailScanner, type ScannerMode, scannerModes } from "./mail/mail-scanner.js"
export { createMailbox, type Mailbox, type Message, testEmail } from "./mail/mailbox.js"
export { type FixedClock, fixedClock, type Span } from "./time/fixed-clock.js"
export { type FakeVendor, fakeVendor } from "./vendor/fake-vendor.js"
export type {
  AuthorizationRules,
  Expected,
  IssuedTokens,
  OpenIdRules,
  RefusedStage,
  ResourceRules,
  TokenRules,
  VendorAnswer,
  VendorClient,
  VendorRefusal,
  VendorRules,
} from "./vendor/vendor-rules.js"
