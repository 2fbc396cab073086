import type { ChangeFault } from "@latchkey/types"
import type { Because } from "../../errors/failure-reason.js"
import { RefusedInput } from "../../errors/refused-input.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import type { Reply } from "../../http/response.js"
import type { PageFrame, Translator } from "../../pages/document.js"
import type { Children } from "../../pages/markup/jsx-runtime.js"
import type { Awaitable } from "../../types/basics.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext, RouteMethods } from "../feature.js"
import type { SignedInVisit } from "../visit.js"
import type { AccountSection, AccountSettings } from "./names.js"

/**
 * A part of the account area: a page and its JSON at `account/<name>`, and a line on the overview.
 *
 * The frame (`routes.ts`, `page.tsx`) answers for all sections: it finds the user, asks visitors without a session to sign
 * in, checks CSRF tokens, limits and when the user last re-authenticated, writes JSON or a page as the client asks,
 * and shows notices. A section only says what it shows, what can be done, and how that looks. To add one, list it in
 * `names.ts` and `sections.ts`.
 */
export interface Section<Model extends object = object> {
  readonly name: AccountSection
  /** Whether the configuration and the store can do what it needs. Otherwise it does not exist: 404. */
  isOffered(context: ActionContext, settings: AccountSettings): boolean
  /** What it shows: the JSON of `GET account/<name>`. It holds no secret, and nothing of other users. */
  show(visit: Visit): Awaitable<Model>
  /** What can be done, by the field `action` of `POST account/<name>`. */
  readonly actions: Readonly<Record<string, Action>>
  /**
   * The actions that do not require users to have re-authenticated recently, or that check it themselves: those that neither
   * change how the user signs in nor take anything away for good. Default: none.
   */
  readonly unproved?: readonly string[]
  /**
   * Pages on the way to an action, by the parameter `step` of `GET account/<name>`. They can be loaded again, and only a user
   * who re-authenticated recently is shown one. Null if what it is about does not exist. Default: none.
   */
  readonly steps?: Readonly<Record<string, Step>>
  /** The page of a user whose session ended with a form of the section. Null without such a form. Default: none. */
  showEnd?(request: AuthRequest, context: ActionContext): Promise<Reply | null>
  /** Other routes, such as a link in a mail. They check everything themselves. `area.ts` lists their paths. */
  readonly routes?: Readonly<Record<`account/${string}`, RouteMethods>>
  /** Its messages by what they are for. Null for an unknown id: ids of notices come from the URL. */
  translate(id: MessageId, frame: PageFrame): string | null
  /** The state in a few words, for the overview. */
  summarize(model: Model, frame: PageFrame): string
  /** The page below its heading. */
  render(model: Model, page: SectionPage): Awaitable<Rendered>
}

/** `title`: the heading. `done.<id>`: what was done. `problem.<code>`: why something was refused. */
export type MessageId = "title" | `done.${string}` | `problem.${string}`

/** A request to the account area by a user who is signed in. */
export interface Visit extends SignedInVisit {
  readonly settings: AccountSettings
  readonly store: Store
  /** Whether the user re-authenticated recently, with every factor they have. */
  readonly isFresh: boolean
}

/**
 * Does what a form asks for. A reply is sent as it is.
 * @throws ChangeRefused for what the form's page explains
 */
export type Action = (visit: Visit) => Promise<Outcome | Reply>

/** Shows a page before an action. */
type Step = (visit: Visit, frame: PageFrame) => Awaitable<Question | Reply | null>

/** Asks before something goes that protects the account: nothing of the kind goes by one click. */
export interface Question {
  /** Names the thing. */
  readonly heading: string
  /** What follows. */
  readonly text: string
  /** What the form of the button sends. */
  readonly fields: Readonly<Record<string, string>>
  readonly button: string
}

/** What an action has done. */
export interface Outcome {
  /** For clients that ask for JSON. */
  readonly json: object
  /** The notice `done.<id>` that the page then shows. */
  readonly done: string
  /** Status of the JSON. Default: 200. */
  readonly status?: 404
  readonly cookies?: readonly ResponseCookie[]
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Where a browser goes. Default: the page of the section, with the notice. */
  readonly url?: string
}

interface RefusedChange {
  readonly code: ChangeFault
  /** The field that is wrong. */
  readonly field?: string | undefined
  /** A sentence of the app for the user, in place of ours. */
  readonly reason?: string | undefined
  /** Names another sentence of ours than `problem.<code>`. */
  readonly word?: string | undefined
}

/** A change that was refused. The page of its form shows the sentence `problem.<code>`. Answered with 400. */
export class ChangeRefused extends RefusedInput {
  static override readonly type: string = "ChangeRefused"
  declare readonly code: ChangeFault
  readonly word: string

  /** @param cause Why, if more is known than that it was refused. */
  constructor(message: string, { word, ...details }: RefusedChange, cause?: Because | null) {
    super(message, details, cause ?? undefined)
    this.word = word ?? details.code
  }
}

/** What a section's page is rendered with. */
export interface SectionPage {
  readonly visit: Visit
  readonly frame: PageFrame
  readonly t: Translator
  /** The target of its forms. */
  readonly action: string
  /** Undefined if the host disabled the CSRF check. */
  readonly csrfToken: string | undefined
  /**
   * Whether to show forms for changes that need it. If not, the frame shows a link to the page where users re-authenticate.
   */
  readonly isFresh: boolean
  /** The field that the last form got wrong. */
  readonly wrongField: string | undefined
  /** What was typed into that form: untrusted text. */
  typed(field: string): string | undefined
  toUrl(path: string): string
}

/** The content of a section's page. */
export interface Rendered {
  readonly content: Children
  /** Whether the page can do more once the user has re-authenticated. Default: true. */
  readonly hasChanges?: boolean
  /** URL of a script of the service. The page must also work without it. */
  readonly scriptUrl?: string | undefined
}
