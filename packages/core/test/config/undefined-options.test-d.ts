import type { AccountAreaOptions } from "@latchkey/core/account-area"
import type azureDevOps from "@latchkey/core/providers/azure-devops"
import type fusionAuth from "@latchkey/core/providers/fusionauth"
import type gitHub from "@latchkey/core/providers/github"
import type gitLab from "@latchkey/core/providers/gitlab"
import type google from "@latchkey/core/providers/google"
import type mailgun from "@latchkey/core/providers/mailgun"
import type entra from "@latchkey/core/providers/microsoft-entra-id"
import type nodemailer from "@latchkey/core/providers/nodemailer"
import type oidc from "@latchkey/core/providers/oidc"
import type passkey from "@latchkey/core/providers/passkey"
import type weChat from "@latchkey/core/providers/wechat"
import type { SecondFactorOptions } from "@latchkey/core/second-factors"
import type {
  AuthConfig,
  EmailUserConfig,
  OAuthUserConfig,
  OIDCUserConfig,
  SessionOptions,
  WebAuthnUserConfig,
} from "@latchkey/core/types"
import { expectTypeOf } from "vitest"

// With exactOptionalPropertyTypes, which `tsc --init` switches on, `clientId: process.env.X` compiles only if the option
// takes undefined.

/** The options that may be left out, and refuse undefined. */
type Refusing<Options> = {
  [Name in keyof Options]-?: Record<never, never> extends Pick<Options, Name>
    ? Record<Name, undefined> extends Pick<Options, Name>
      ? never
      : Name
    : never
}[keyof Options]

type OptionsOf<Factory extends (options: never) => unknown> = NonNullable<Parameters<Factory>[0]>

expectTypeOf<Refusing<{ readonly a?: string; b?: string | undefined }>>().toEqualTypeOf<"a">()
expectTypeOf<Refusing<AuthConfig>>().toEqualTypeOf<never>()
expectTypeOf<Refusing<SessionOptions>>().toEqualTypeOf<never>()
expectTypeOf<Refusing<NonNullable<AuthConfig["theme"]>>>().toEqualTypeOf<never>()
/** The members of options that are objects. */
type Nested<Name extends keyof AuthConfig> = Refusing<NonNullable<AuthConfig[Name]>>
expectTypeOf<Nested<"callbacks" | "events" | "cookies" | "jwt">>().toEqualTypeOf<never>()
expectTypeOf<Nested<"pages" | "logger" | "requestLimits">>().toEqualTypeOf<never>()
expectTypeOf<Refusing<NonNullable<NonNullable<AuthConfig["cookies"]>["sessionToken"]>>>().toEqualTypeOf<never>()
expectTypeOf<Refusing<OAuthUserConfig>>().toEqualTypeOf<never>()
expectTypeOf<Refusing<OIDCUserConfig>>().toEqualTypeOf<never>()
expectTypeOf<Refusing<EmailUserConfig>>().toEqualTypeOf<never>()
expectTypeOf<Refusing<WebAuthnUserConfig>>().toEqualTypeOf<never>()
expectTypeOf<Refusing<AccountAreaOptions>>().toEqualTypeOf<never>()
expectTypeOf<Refusing<SecondFactorOptions>>().toEqualTypeOf<never>()
expectTypeOf<
  | Refusing<OptionsOf<typeof azureDevOps>>
  | Refusing<OptionsOf<typeof entra>>
  | Refusing<OptionsOf<typeof fusionAuth>>
  | Refusing<OptionsOf<typeof gitHub>>
  | Refusing<OptionsOf<typeof gitLab>>
  | Refusing<OptionsOf<typeof google>>
  | Refusing<OptionsOf<typeof mailgun>>
  | Refusing<OptionsOf<typeof nodemailer>>
  | Refusing<OptionsOf<typeof oidc>>
  | Refusing<OptionsOf<typeof passkey>>
  | Refusing<OptionsOf<typeof weChat>>
>().toEqualTypeOf<never>()
