// Imported as `@latchkey/testkit`.
export { type AdapterCall, type MemoryAdapter, memoryAdapter } from "./adapter/memory-adapter.js"
export { CborMap, type CborValue } from "./authenticator/cbor.js"
export type {
  AuthenticationJson,
  CreationOptionsJson,
  RegistrationJson,
  RequestOptionsJson,
} from "./authenticator/ceremony-options.js"
export type { CredentialAlg, CredentialKey } from "./authenticator/credential-key.js"
export type { Attestation, AuthenticatorFlags, Misbehaviour } from "./authenticator/misbehaviour.js"
export { type PasskeyClient, type PasskeyClientOptions, passkeyClient } from "./authenticator/passkey-client.js"
export {
  type AuthenticatorOptions,
  type SoftwareAuthenticator,
  type SoftwareCredential,
  softwareAuthenticator,
  toStoredId,
} from "./authenticator/software-authenticator.js"
export type { AuthClient, SignInFields } from "./browser/auth-client.js"
export { type Browser, type BrowserOptions, createBrowser } from "./browser/browser.js"
export type { BrowserCookies, CookieAttributes } from "./browser/browser-cookies.js"
export type { RefusedCookie } from "./browser/cookie-jar.js"
export type { PageElement } from "./browser/document.js"
export type { Form, FormEntries, SubmitButton } from "./browser/form.js"
export type { Hop } from "./browser/navigation.js"
export { type Handler, type Network, overHttp } from "./browser/network.js"
export type { Page } from "./browser/page.js"
export type { SameSite } from "./browser/set-cookie.js"
export type { StoredCookie } from "./browser/stored-cookie.js"
export type { FilledFields } from "./browser/submission.js"
export type { RequestOptions, Tab } from "./browser/tab.js"
export { type HostParts, type TestHost, type TestHostOptions, testHost } from "./host/test-host.js"
export type { Client, ClientAuthMethod, RegisteredClient } from "./identity-provider/client.js"
export type { Endpoint } from "./identity-provider/endpoint.js"
export type { Effects, Fault, FaultContext, FaultPoints, FaultStage } from "./identity-provider/faults/fault.js"
export type { FaultSwitches } from "./identity-provider/faults/switches.js"
export { type FaultName, faultNames, faults } from "./identity-provider/faults/table.js"
export type { IssuedSecret } from "./identity-provider/grants.js"
export {
  type FakeIdentityProvider,
  fakeIdentityProvider,
  type IdentityProviderOptions,
} from "./identity-provider/identity-provider.js"
export type { Incoming } from "./identity-provider/incoming.js"
export type { SigningAlg } from "./identity-provider/keys.js"
export { ada, type Person } from "./identity-provider/person.js"
export { type Canaries, type Canary, createCanaries, findLeaks, type Leak } from "./log/leaks.js"
export { type EventName, type RecordingEvents, recordingEvents } from "./log/recording-events.js"
export { type RecordedAnswer, type RecordingHandler, recordingHandler } from "./log/recording-handler.js"
export { type DebugRecord, type RecordingLogger, recordingLogger } from "./log/recording-logger.js"
export { createMailbox, type Mailbox, type Message } from "./mail/mailbox.js"
export { testEmail } from "./mail/test-email.js"
export { type FixedClock, fixedClock, type Span } from "./time/fixed-clock.js"
export { type FakeVendor, fakeVendor } from "./vendor/fake-vendor.js"
export type { RefusedStage, VendorClient } from "./vendor/vendor-flow.js"
export type {
  AuthorizationRules,
  Expected,
  IssuedTokens,
  OpenIdRules,
  ResourceRules,
  TokenRules,
  VendorAnswer,
  VendorRefusal,
  VendorRules,
} from "./vendor/vendor-rules.js"
