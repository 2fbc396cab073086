import { Fragment, type JSX } from "preact"
import { renderDocument } from "./document.js"
import { FinePrint } from "./fine-print.js"
import { Notice, situationHeading } from "./notice.js"
import type { DeveloperDetails, PageFrame } from "./page-frame.js"
import { PasskeyForm } from "./passkey-form.js"
import { ProviderButtons } from "./provider-buttons.js"
import type { OAuthChoice, SignInChoice, WebAuthnChoice } from "./sign-in-choice.js"
import { CredentialsForm, EmailForm } from "./sign-in-forms.js"
import { findSituation, type Situation } from "./situation.js"
import { createSpeech, type Speech } from "./speech.js"

export interface SignInContent {
  /** In the host's order, which is kept among those of one kind. */
  readonly providers: readonly SignInChoice[]
  readonly csrfToken: string | undefined
  /** Where the visitor goes afterwards; already checked. */
  readonly callbackUrl: string
  /** What the email field begins with: untrusted text. */
  readonly email?: string | undefined
  /** The `error` of the query: untrusted text. */
  readonly error?: string | undefined
  /** The `code` of the query, which says more about some errors: untrusted text. */
  readonly errorCode?: string | undefined
  /** Id of the provider that failed: untrusted text, looked up among `providers`. */
  readonly errorProvider?: string | undefined
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
}

/** The sign-in page: passkeys and providers first, then email, then the host's own forms. It works without scripts. */
export function renderSignInPage(content: SignInContent, frame: PageFrame): string {
  const speech = createSpeech(frame)
  const situation = content.error ? findSituation(content.error, content.errorCode) : undefined
  const scriptUrl = content.providers.find(isPasskey)?.scriptUrl
  return renderDocument({
    title: pageTitle(content, situation, speech),
    frame,
    speech,
    scriptUrl,
    children: (
      <>
        <h1 class="heading">{speech.say("signIn.heading")}</h1>
        {scriptUrl !== undefined && <div class="notice" role="alert" data-passkey-message hidden />}
        {situation && <Notice situation={situation} providerName={failedProvider(content)} speech={speech} />}
        <Ways blocks={toBlocks({ content, situation, frame, speech })} speech={speech} />
        <FinePrint reference={content.reference} details={content.details} speech={speech} />
      </>
    ),
  })
}

/** After a failure the title begins with it, since that is what a screen reader says first. */
function pageTitle(content: SignInContent, situation: Situation | undefined, speech: Speech): string {
  const page = speech.say("signIn.title")
  if (!situation) return page
  const error = situationHeading(situation, speech, failedProvider(content)) ?? speech.say("general.heading")
  return speech.say("title.afterError", { error, page })
}

function failedProvider({ errorProvider, providers }: SignInContent): string | undefined {
  return providers.find(({ id }) => id === errorProvider)?.name
}

interface WaysProps {
  readonly blocks: readonly JSX.Element[]
  readonly speech: Speech
}

function Ways({ blocks, speech }: WaysProps): JSX.Element {
  if (blocks.length === 0) return <p>{speech.say("signIn.none")}</p>
  return (
    <>
      {blocks.map((block, index) => (
        <Fragment>
          {index > 0 && (
            <p class="divider">
              <span>{speech.say("signIn.or")}</span>
            </p>
          )}
          {block}
        </Fragment>
      ))}
    </>
  )
}

interface BlockNeeds {
  readonly content: SignInContent
  readonly situation: Situation | undefined
  readonly frame: PageFrame
  readonly speech: Speech
}

/** Everything that stands between two dividers. */
function toBlocks({ content, situation, frame, speech }: BlockNeeds): readonly JSX.Element[] {
  const { providers, email } = content
  const hidden = { csrfToken: content.csrfToken, callbackUrl: content.callbackUrl }
  const passkeys = providers.filter(isPasskey)
  const buttons = providers.filter(leadsElsewhere)
  const emails = providers.filter((choice) => choice.type === "email")
  const forms = providers.filter((choice) => choice.type === "credentials")
  const form = { hidden, speech, offersPasskeys: passkeys.some(({ hasAutofill }) => hasAutofill) }
  const isOnlyWay = providers.length === 1
  const isRefused = (concern: Situation["concern"]): boolean => situation?.concern === concern
  return [
    ...passkeys.map((choice) => <PasskeyForm choice={choice} hidden={hidden} speech={speech} isOnlyWay={isOnlyWay} />),
    ...(buttons.length > 0
      ? [<ProviderButtons choices={buttons} hidden={hidden} siteUrl={frame.siteUrl} speech={speech} />]
      : []),
    ...emails.map((choice) => <EmailForm {...form} choice={choice} email={email} isRefused={isRefused("email")} />),
    ...forms.map((choice) => <CredentialsForm {...form} choice={choice} isRefused={isRefused("credentials")} />),
  ]
}

function isPasskey(choice: SignInChoice): choice is WebAuthnChoice {
  return choice.type === "webauthn"
}

function leadsElsewhere(choice: SignInChoice): choice is OAuthChoice {
  return choice.type === "oauth" || choice.type === "oidc"
}
