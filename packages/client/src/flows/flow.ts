import { type AuthClient, getService } from "../auth-client.js"
import { currentClient } from "../auth-functions.js"
import type { Service } from "../service.js"
import { type FlowFailure, type FlowMessages, toFailure, toFlowError } from "./flow-error.js"
import { createKeeper, type Kept } from "./keeper.js"
import type { FlowState, LoadingStep } from "./steps.js"

/** Options of a flow, and of the frameworks' functions that build on it. */
export interface FlowOptions {
  /**
   * Where to go when the user is signed in, on this origin. Default: the `callbackUrl` in the query of the page, else the
   * current page.
   */
  readonly redirectTo?: string | undefined
  /** False stays on the page at the step `done`. Default: true. */
  readonly redirect?: boolean | undefined
  /** Sentences of your own, by the code of the error. Default: those of the service, in the language of its pages. */
  readonly messages?: FlowMessages | undefined
  /** Finds the client. Default: the one that `configureAuth` configures. */
  readonly client?: (() => AuthClient) | undefined
}

/** A flow, for frameworks to subscribe to. Create one for each form. */
export interface Flow<Step> {
  /** Returns the same object until something changes. */
  getState(): FlowState<Step>
  /** The state before the flow has begun, as a server renders it. */
  getInitialState(): FlowState<Step>
  /**
   * Calls the listener after each change, once, however often it subscribes. The flow begins with the first: after a reload, it
   * asks the service where it stands.
   * @returns an unsubscribe function
   */
  subscribe(listener: () => void): () => void
}

/** Makes an action of a step. What it returns is shown; undefined stays at the step. */
export type Act<Step> = <Args extends readonly unknown[]>(
  work: (...args: Args) => Promise<View<Step> | undefined>,
) => (...args: Args) => Promise<void>

/** A step that is shown. */
export interface View<Step> {
  /** What is kept over a reload: nothing secret. Undefined forgets it. */
  readonly kept?: Kept | undefined
  /** Why the flow is here, and not where an action would have led. */
  readonly error?: FlowFailure | undefined
  /** Makes the step with its actions. */
  readonly create: (act: Act<Step>) => Step
}

/** What a flow works with. */
export interface Connection<Step> {
  readonly options: FlowOptions
  readonly client: () => AuthClient
  readonly service: () => Service
  /** Shows a newer version of a step, if it is still there. Actions of the former version work, too. */
  replace(former: View<Step>, view: View<Step>): Promise<void>
}

/** How a flow begins. */
export interface FlowPlan<Step> {
  /** Tells the flows of a page apart. */
  readonly name: string
  /** Undefined: the step is known only after `resume`. */
  readonly initial: View<Step> | undefined
  /** Finds where the flow stands. The step `loading` is shown meanwhile. Undefined: at its first step. */
  readonly resume: (kept: Kept | null) => (() => Promise<View<Step>>) | undefined
  /** Called when the flow begins at its first step. */
  readonly begin?: () => Promise<void>
}

const idle = { error: null, isPending: false } as const

export function createFlow<Step>(
  options: FlowOptions,
  toPlan: (connection: Connection<Step>) => FlowPlan<Step>,
): Flow<Step | LoadingStep> {
  type Shown = Step | LoadingStep
  const client = options.client ?? currentClient
  const service = (): Service => getService(client())
  const plan = toPlan({ options, client, service, replace })
  const keeper = createKeeper(() => `latchkey ${plan.name} ${service().address("session")}`)
  const listeners = new Set<() => void>()
  let resume: (() => Promise<View<Shown>>) | undefined
  let isBegun = false

  const loading: View<Shown> = { create: (act) => ({ step: "loading", retry: act(async () => resume?.()) }) }
  /** The versions of the step that is shown: actions of other ones do nothing. */
  let shown: ReadonlySet<View<Shown>> = new Set([plan.initial ?? loading])
  const first = toState(plan.initial ?? loading)
  let state = first

  function toState(view: View<Shown>, { error, isPending }: Status = idle): FlowState<Shown> {
    const step = view.create((work) => async (...args) => {
      if (shown.has(view) && !state.isPending) await run(() => work(...args))
    })
    // as: the step decides about the other fields.
    return { ...step, error, isPending } as FlowState<Shown>
  }

  function setState(next: FlowState<Shown>): void {
    state = next
    for (const listener of [...listeners]) listener()
  }

  async function replace(former: View<Step>, view: View<Step>): Promise<void> {
    const error = view.error && (await toFlowError(view.error, options.messages, service()))
    if (!shown.has(former)) return
    shown = new Set([...shown, view])
    setState(toState(view, error ? { ...state, error } : state))
  }

  /** Runs an action. One that fails stays at its step, unless the failure leads to another one. */
  async function run(work: () => Promise<View<Shown> | undefined>): Promise<void> {
    setState({ ...state, error: null, isPending: true })
    let view: View<Shown> | undefined
    let failure: FlowFailure | null | undefined
    try {
      view = await work()
      failure = view?.error
    } catch (thrown) {
      failure = toFailure(thrown)
      if (!failure) {
        setState({ ...state, isPending: false })
        throw thrown
      }
      // as: it was thrown in this flow.
      view = failure.view as View<Shown> | undefined
    }
    const error = failure ? await toFlowError(failure, options.messages, service()) : null
    if (!view) return setState({ ...state, error, isPending: false })
    keeper.keep(view.kept)
    shown = new Set([view])
    setState(toState(view, { error, isPending: false }))
  }

  function start(): void {
    isBegun = true
    resume = plan.resume(keeper.read())
    if (!resume) return void plan.begin?.()
    shown = new Set([loading])
    state = toState(loading)
    void run(resume)
  }

  return {
    getState: () => state,
    getInitialState: () => first,
    subscribe(listener) {
      listeners.add(listener)
      // Not at once: a component that is mounted twice in a row, as in React's strict mode, begins one flow.
      if (!isBegun) queueMicrotask(() => !isBegun && listeners.size > 0 && start())
      return () => void listeners.delete(listener)
    },
  }
}

type Status = Pick<FlowState<unknown>, "error" | "isPending">
