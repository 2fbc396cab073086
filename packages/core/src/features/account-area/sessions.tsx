/** @jsxImportSource #markup */

import type { JSX } from "../../pages/markup/jsx-runtime.js"
import { findDevice } from "../../session/device.js"
import type { SessionView } from "../../session/own-sessions.js"
import { endOwn } from "../sessions.js"
import { ActionButton, Ago, Item, List, QuestionLink } from "./parts.js"
import type { Outcome, Section, SectionPage, Visit } from "./section.js"
import { translateAccount, translateSection } from "./translate.js"

/** Where the user is signed in. The JSON of `account/sessions` is that of `session.track`. */
interface OwnSessionList {
  readonly sessions: readonly SessionView[]
}

export const sessionsSection: Section<OwnSessionList> = {
  name: "sessions",
  isOffered: ({ sessions }) => sessions.identify !== undefined,
  show: ({ sessions }) => ({ sessions: sessions ?? [] }),
  actions: {
    end: (visit) => end(visit, "ended"),
    "end-others": (visit) => end(visit, "others"),
  },
  steps: {
    "end-others": async (_, frame) => {
      const translate = translateAccount(frame)
      return {
        heading: translate("sessions.ask"),
        text: translate("sessions.askText"),
        fields: { action: "end-others" },
        button: translate("sessions.endOthers"),
      }
    },
  },
  // A user who sees a foreign session must be able to end it at once.
  unproved: ["end"],
  translate: translateSection("sessions"),
  summarize: ({ sessions }, frame) => translateAccount(frame)("sessions.count", { count: sessions.length }),
  render({ sessions }, page) {
    const translate = translateAccount(page.frame)
    const hasOthers = sessions.length > 1
    const content = (
      <>
        <List>
          {sessions.map((session) => (
            <SessionItem session={session} page={page} />
          ))}
        </List>
        {page.isFresh && hasOthers && (
          <QuestionLink page={page} query={{ step: "end-others" }} text={translate("sessions.endOthers")} />
        )}
      </>
    )
    return { content, hasChanges: hasOthers }
  },
}

interface SessionItemProps {
  readonly session: SessionView
  readonly page: SectionPage
}

function SessionItem({ session, page }: SessionItemProps): JSX.Element {
  const { id, label, network, lastSeenAt, isCurrent } = session
  const translate = translateAccount(page.frame)
  const name = label ?? toDeviceName(session, translate)
  const detail = (
    <>
      {isCurrent ? translate("sessions.current") : <Ago date={lastSeenAt} language={page.t.language} />}
      {network && (
        <>
          {" · "}
          <bdi>{network}</bdi>
        </>
      )}
    </>
  )
  return (
    // Our own words read in the direction of the page. A label of the app may be in any language.
    <Item title={label === null ? name : <bdi>{label}</bdi>} detail={detail}>
      {!isCurrent && (
        <ActionButton
          page={page}
          size="small"
          fields={{ action: "end", id }}
          text={translate("sessions.end")}
          label={translate("sessions.endOne", { device: name })}
        />
      )}
    </Item>
  )
}

/** The browser and the system in the language of the page. */
function toDeviceName({ userAgent }: SessionView, translate: ReturnType<typeof translateAccount>): string {
  const { browser, system } = findDevice(userAgent)
  if (browser && system) return translate("sessions.device", { browser, system })
  return browser ?? system ?? translate("sessions.unknown")
}

/** The same as for scripts, and a notice. */
async function end({ request, context, sessions }: Visit, done: string): Promise<Outcome> {
  const isCurrent = request.body?.["id"] === sessions?.[0]?.id && done === "ended"
  const { status, cookies = [], headers, body } = await endOwn(request, context)
  return {
    json: body?.kind === "json" ? Object(body.value) : {},
    done: status === 404 ? "gone" : done,
    cookies,
    ...(isCurrent && { url: request.url.origin, ...(headers && { headers }) }),
  }
}
