/** @jsxImportSource #markup */
import { randomHex } from "../../crypto/random.js"
import { noStore, type Reply } from "../../http/response.js"
import { systemClock } from "../../runtime/promise.js"
import { collectOwnData } from "./own-data.js"
import { ActionButton } from "./parts.js"
import { ChangeRefused, type Section, type Visit } from "./section.js"
import { translateAccount, translateSection } from "./translate.js"

/** How often a user can download their data. */
const exportSeconds = 60 * 60

/** A copy of what is kept about the user. */
export const exportSection: Section<object> = {
  name: "export",
  // The lease counts for all processes.
  isOffered: ({ store }) => store?.has("takeLease") === true && store.has("dropLease"),
  show: () => ({ everySeconds: exportSeconds }),
  actions: { download },
  translate: translateSection("export"),
  summarize: (_, frame) => translateAccount(frame)("export.button"),
  render(_, page) {
    const translate = translateAccount(page.frame)
    const content = (
      <>
        <p class="quiet">{translate("export.text")}</p>
        {page.isFresh && <ActionButton page={page} fields={{ action: "download" }} text={translate("export.button")} />}
      </>
    )
    return { content }
  },
}

/** `action=download`: the data as a file, once an hour. */
async function download(visit: Visit): Promise<Reply> {
  const { request, context, store, userId } = visit
  const lease = { id: `account-export:${userId}`, holder: randomHex(16) }
  const until = new Date(systemClock() + exportSeconds * 1000)
  if (!(await store.takeLease({ ...lease, until }))) {
    throw new ChangeRefused("The data can be downloaded once an hour", { code: "hourly" })
  }
  const data = await collectOwnData(visit).catch(async (error: unknown) => {
    await store.dropLease(lease)
    throw error
  })
  context.log.record({ kind: "data-exported", userId }, request)
  const headers = { ...noStore, "content-disposition": 'attachment; filename="account-data.json"' }
  return { headers, body: { kind: "json", value: data, indent: 2 } }
}
