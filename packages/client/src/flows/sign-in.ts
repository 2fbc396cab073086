import { readField, readString } from "../protocol.js"
import { askForPasskey, type Flowing, proceed, resumeProof } from "./after-proof.js"
import { type Act, createFlow, type Flow, type FlowOptions, type View } from "./flow.js"
import { FlowFailure } from "./flow-error.js"
import { findTarget, post, read, readProviders } from "./requests.js"
import type { CodeStep, FlowProvider, IdentifierStep, PasswordStep, SignInFlowStep } from "./steps.js"

/** Options of a sign-in. */
export interface SignInFlowOptions extends FlowOptions {
  /** The provider whose form has a password. Default: the first of type `credentials`. */
  readonly passwordProvider?: string | undefined
  /** The name of its field for who signs in, such as `username`. Default: `email`. */
  readonly identifierField?: string | undefined
  /** The provider that mails codes. Default: the first of type `email`. */
  readonly mailProvider?: string | undefined
}

/** What the service offers. */
interface Offer {
  readonly password: string | undefined
  readonly mail: string | undefined
  readonly passkey: string | undefined
  readonly others: readonly FlowProvider[]
}

interface SignIn extends Flowing<SignInFlowStep> {
  readonly options: SignInFlowOptions
  /** Undefined until the service has told it. */
  readonly known: () => Offer | undefined
  readonly findOffer: () => Promise<Offer>
}

type SignInView = View<SignInFlowStep>

/**
 * A sign-in: who, then by a password, a mailed code or a passkey, then a second factor if the service asks for it. Which step
 * comes next does not depend on who it is, before something is proved.
 * @example
 * const flow = createSignInFlow({ redirectTo: "/inbox" })
 * flow.subscribe(() => show(flow.getState()))
 */
export function createSignInFlow(options: SignInFlowOptions = {}): Flow<SignInFlowStep> {
  return createFlow<SignInFlowStep>(options, (connection) => {
    const flow: SignIn = {
      ...connection,
      ...createOffer(options, connection),
      options,
      first: () => toIdentifierView("", flow),
    }
    const initial = toIdentifierView("", flow)
    return {
      name: "sign-in",
      initial,
      resume(kept) {
        const { step, identifier = "" } = kept ?? {}
        if (step === "password") return async () => toPasswordView(identifier, await flow.findOffer(), flow)
        if (step === "code") return async () => readCode(identifier, await flow.findOffer(), flow)
        return resumeProof(kept, flow)
      },
      // Without it, the first step shows its error.
      begin: async () => {
        await flow.findOffer().catch(() => undefined)
        await connection.replace(initial, { ...toIdentifierView("", flow), error: findQueryError() })
      },
    }
  })
}

/** Reads once what the service offers. */
function createOffer(
  options: SignInFlowOptions,
  { service }: Pick<SignIn, "service">,
): Pick<SignIn, "known" | "findOffer"> {
  let known: Offer | undefined
  let asked: Promise<Offer> | undefined
  async function ask(): Promise<Offer> {
    const { passwordProvider, mailProvider } = options
    const all = await readProviders(service())
    const find = (wanted: string, id?: string): string | undefined =>
      all.find((one) => (id === undefined ? one.type === wanted : one.id === id))?.id
    const others = all.filter(({ type }) => /^o(auth|idc)$/.test(type)).map(({ id, name }) => ({ id, name }))
    const [password, mail] = [find("credentials", passwordProvider), find("email", mailProvider)]
    known = { password, mail, passkey: find("webauthn"), others }
    return known
  }
  return {
    known: () => known,
    findOffer() {
      asked ??= ask()
      // The next one asks again.
      asked.catch(() => {
        asked = undefined
      })
      return asked
    },
  }
}

/** The failure that led to the app's own sign-in page, by its query. */
function findQueryError(): FlowFailure | undefined {
  const query = new URLSearchParams(location.search)
  const error = query.get("error")
  if (!error || error === "SessionRequired") return undefined
  return new FlowFailure(error, { reason: query.get("code") ?? undefined })
}

function toIdentifierView(identifier: string, flow: SignIn): SignInView {
  const { client, options, known, findOffer } = flow
  return {
    create: (act): IdentifierStep => ({
      step: "identifier",
      identifier,
      providers: known()?.others ?? [],
      submit: act(async (typed: string) => {
        const offer = await findOffer()
        return offer.password === undefined ? sendCode(typed, offer, flow) : toPasswordView(typed, offer, flow)
      }),
      openProvider: act(async (id: string) => {
        await client().signIn(id, { redirectTo: findTarget(options) })
        return undefined
      }),
      ...toPasskey(act, known(), flow),
    }),
  }
}

function toPasskey(
  act: Act<SignInFlowStep>,
  offer: Offer | undefined,
  flow: SignIn,
): Pick<IdentifierStep, "askForPasskey"> {
  const { passkey } = offer ?? {}
  return passkey === undefined ? {} : { askForPasskey: act(() => askForPasskey(passkey, flow)) }
}

function toPasswordView(identifier: string, offer: Offer, flow: SignIn): SignInView {
  const { password = "", mail } = offer
  const { identifierField = "email" } = flow.options
  return {
    kept: { step: "password", identifier },
    create: (act): PasswordStep => ({
      step: "password",
      identifier,
      submit: act(async (typed: string) =>
        proceed(await post(flow, ["callback", password], { [identifierField]: identifier, password: typed }), flow),
      ),
      ...(mail !== undefined && { sendCode: act(() => sendCode(identifier, offer, flow)) }),
      ...toPasskey(act, offer, flow),
      back: act(async () => toIdentifierView(identifier, flow)),
    }),
  }
}

/** Mails a code. The answer is the same for every address. */
async function sendCode(identifier: string, offer: Offer, flow: SignIn): Promise<SignInView | undefined> {
  if (offer.mail === undefined) throw new FlowFailure("unavailable")
  const accepted = await post(flow, ["signin", offer.mail], { email: identifier })
  return accepted.next === "email" ? readCode(identifier, offer, flow) : proceed(accepted, flow)
}

/** Reads what the service says about the email of this browser. */
async function readCode(identifier: string, offer: Offer, flow: SignIn): Promise<SignInView> {
  const { mail = "" } = offer
  const content = await read(flow, ["verify-request"], { provider: mail, type: "email" })
  const address = readString(content, "address") ?? identifier
  const named = readString(content, "flow")
  return {
    kept: { step: "code", identifier: address },
    create: (act): CodeStep => ({
      step: "code",
      address,
      hasCode: readField(content, "hasCode") === true,
      submit: act(async (code: string) => proceed(await post(flow, ["callback", mail], { code, flow: named }), flow)),
      resend: act(async () => {
        await post(flow, ["signin", mail], { email: address, again: "" })
        return readCode(address, offer, flow)
      }),
      back: act(async () => toIdentifierView(address, flow)),
    }),
  }
}
