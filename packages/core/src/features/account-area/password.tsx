/** @jsxImportSource #markup */

import { isOwnPassword } from "../../methods/reauthentication.js"
import { LinkButton, type PageFrame } from "../../pages/document.js"
import { toDate } from "../../runtime/merge.js"
import { toAgo } from "./parts.js"
import type { Section } from "./section.js"
import { translateAccount, translateSection } from "./translate.js"

/** Whether the user has a password, and since when. */
interface PasswordState {
  readonly hasPassword: boolean
  /** When it was chosen. Null without one. */
  readonly changedAt: Date | null
}

/** The state of the password. It is changed at `password/change`, which also answers JSON. */
export const passwordSection: Section<PasswordState> = {
  name: "password",
  isOffered: ({ providers, store }) =>
    store?.has("getPassword") === true && [...providers.values()].some(isOwnPassword),
  async show({ store, userId }) {
    const password = await store.getPassword(userId)
    return { hasPassword: password !== null, changedAt: password && toDate(password.changedAt) }
  },
  actions: {},
  translate: translateSection("password"),
  summarize: describe,
  render(state, { frame, toUrl }) {
    const translate = translateAccount(frame)
    const content = (
      <>
        <p class="quiet">{describe(state, frame)}</p>
        <LinkButton
          url={toUrl("password/change")}
          text={translate(state.hasPassword ? "password.change" : "password.add")}
          rank="primary"
        />
      </>
    )
    // The page that it leads to asks for a recent proof itself.
    return { content, hasChanges: false }
  },
}

function describe({ changedAt }: PasswordState, frame: PageFrame): string {
  const translate = translateAccount(frame)
  return changedAt
    ? translate("password.changed", { ago: toAgo(changedAt, frame.locale.language) })
    : translate("password.none")
}
