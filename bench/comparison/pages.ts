// The pages in docs/compare/ and the table of the README, from results.json.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type PeerId, peerIds } from "../attacks/app.ts"
import { type Cell, groups, type Row } from "../attacks/attack.ts"
import { toRulesPage } from "../attacks/rules/page.ts"
import { peers } from "../attacks/table.ts"
import type { Part, Results } from "./data.ts"
import { listWeak, symbols, toAnchor, toTable } from "./markdown.ts"
import { type MeasuredTable, names, readTables, toSizePage, toSpeedPage } from "./measured-pages.ts"
import { drawBars } from "./plot.ts"

const root = join(import.meta.dirname, "..", "..")

/** The texts of all files that are made from the results, by their paths in the repository. */
export function renderFiles(results: Results): ReadonlyMap<string, string> {
  const tables = readTables(results.measurements.reports)
  const circumstances = describeCircumstances(results.measurements)
  const pages = {
    "index.md": toIndexPage(results, tables),
    "attacks.md": toAttacksPage(results.attacks),
    "passwords.md": toRulesPage(results.rules),
    "attacks.svg": drawAttacks(results.attacks.rows),
    ...toSpeedPage(tables, circumstances),
    ...toSizePage(tables, circumstances),
  }
  const files = Object.entries(pages).map(([name, text]): [string, string] => [
    `docs/compare/${name}`,
    `${text.trimEnd()}\n`,
  ])
  return new Map([...files, ["README.md", renderReadme(results, tables)]])
}

const countOf = (rows: readonly Row[], id: PeerId, outcome: Cell["outcome"]): number =>
  rows.filter(({ cells }) => cells[id].outcome === outcome).length

function drawAttacks(rows: readonly Row[]): string {
  const outcomes = [
    ["refused", "good"],
    ["gets in", "bad"],
    ["absent", "none"],
  ] as const
  return drawBars({
    title: `Of ${rows.length} attacks, refused: ${peerIds.map((id) => `${names[id]} ${countOf(rows, id, "refused")}`).join(", ")}`,
    unit: "attacks",
    labels: peerIds.map((id) => names[id]),
    isStacked: true,
    bars: peerIds.flatMap((id) =>
      outcomes.map(([outcome, color]) => ({
        label: names[id],
        value: countOf(rows, id, outcome),
        color,
        text: outcome === "absent" ? "do not apply" : outcome === "gets in" ? "get in" : outcome,
      })),
    ),
  })
}

/** The date, the versions and the machine, as a list. */
function describeCircumstances({ date, machine, versions, isNewest }: Part): string {
  const list = peerIds.map((id) => `\`${peers[id].packageName}\` ${versions[id]}`).join(", ")
  const newest = isNewest === true ? " Each was the newest version on that day." : ""
  return `- ${date}. ${list}.${newest}\n- ${machine}`
}

function toCell({ outcome, detail }: Cell): string {
  const text = outcome === "absent" || detail === outcome ? detail : detail.replaceAll("|", "\\|")
  return `${symbols[outcome]} ${text}`
}

/** From the documentation of the libraries. Ours is tested in `test/compat/test/sessions`. */
const existingSessions = `## Existing sessions

What becomes of the users who are signed in when an app moves to the library:

| from | Latchkey | Auth.js | Better Auth | iron-session |
| --- | --- | --- | --- | --- |
| Auth.js, next-auth 5 | [stay signed in](../guides/moving.md) | – | sign in again | sign in again |
| next-auth 4 | [stay signed in](../moving-from/next-auth-v4.md) | sign in again | sign in again | sign in again |
| Better Auth | [stay signed in](../moving-from/better-auth.md) | sign in again | – | sign in again |
| iron-session | [stay signed in](../moving-from/iron-session.md) | sign in again | sign in again | – |
| Lucia, express-session, cookie-session, Auth0, WorkOS | [stay signed in](../guides/moving-sessions.md) | sign in again | sign in again | sign in again |
| Supabase, Clerk, Firebase | [stay signed in, if their session is still valid](../guides/moving-sessions.md) | sign in again | sign in again | sign in again |

"Sign in again" means that the library reads no cookie but its own. The guides of Better Auth for moves from
[Supabase](https://better-auth.com/docs/guides/supabase-migration-guide) and [Clerk](https://better-auth.com/docs/guides/clerk-migration-guide) say so.
next-auth 5 has another name and another key for its cookie than version 4. [Other guides](../moving-from/other-guides.md) says what
becomes of IDs, passwords and second factors.`

function toIndexPage({ attacks, measurements }: Results, tables: readonly MeasuredTable[]): string {
  const weak = listWeak(attacks.rows, { ids: peerIds, names, page: "attacks.md" })
  const missing = attacks.rows
    .filter(({ cells }) => cells.latchkey.outcome === "absent")
    .map(({ title, cells }) => `- [${title}](attacks.md#${toAnchor(title)}): Latchkey ${cells.latchkey.detail}.`)
  const behind = tables
    .filter(({ better }) => better.length > 0)
    .map(
      ({ title, page, better }) =>
        `- [${title}](${page}): ${better.join(" and ")} ${better.length > 1 ? "need" : "needs"} less.`,
    )
  return `# Comparison with Auth.js, Better Auth and iron-session

\`npm run compare\` runs the published versions of \`@auth/core\`, \`better-auth\` and \`iron-session\` beside Latchkey on your machine, and writes these
pages. Each attack is a short script in \`bench/attacks/\` that talks to the real library.

${toTable(["measured", ...peerIds.map((id) => names[id])], summaryRows(attacks.rows, tables, ""))}

![Attacks that each library refuses](attacks.svg)

[Attacks on passwords and second factors](passwords.md) have their own table, with Better Auth and Accounts.js. The other libraries have neither feature.

## Where Latchkey is not the best

${[...weak, ...missing, ...behind].join("\n") || "No row of this comparison."}

${existingSessions}

## What others have and Latchkey does not

| library | has |
| --- | --- |
| Better Auth | organizations and teams, an admin plugin with impersonation, API keys, being an OAuth provider, SAML, SCIM, sign-in by SMS, anonymous users, several accounts in one browser, captchas, Web3, and plugins by others |
| Auth.js | adapters for MongoDB, DynamoDB, Firebase, Neo4j, SurrealDB and others of its own (they work with Latchkey), and years of answers on the Web |
| iron-session | the smallest package: a sealed cookie and nothing else |

[What is not offered](../not-offered.md) says what to do instead.

## How it is kept fair

- Every library has the configuration that its documentation recommends for production: verified ID tokens, hashed links, limits with the address of the
  proxy, PKCE, state and nonce where it offers them.
- The provider, the browser and the mails are the same for all: [\`@latchkey/testkit\`](../../packages/testkit/README.md). The libraries call the
  provider through \`fetch\` and cannot tell it from a real one.
- Before a fault is turned on, an honest sign-in has to succeed in the same app.
- Rows about things that a library does not offer say so, and are not counted.
- Where a library leaves a decision to the app, as a session library does, the row does not apply.

## Run it

\`\`\`sh
npm run compare                        # everything, in several minutes; writes these pages
npm run compare -- --only attacks      # the attacks, in several minutes
npm run compare -- --only rules        # only the attacks on passwords and second factors
npm run compare -- --only measurements # speed, size, start and types
npm run compare -- --only sizes        # size, which needs no quiet machine
npm run compare -- --check             # the attacks; fails if one reaches more against Latchkey than before. Writes nothing
\`\`\`

The attacks ran on ${attacks.date}, the measurements on ${measurements.date}. A table that was measured again names its date:

${describeCircumstances(attacks)}
`
}

function toAttacksPage(attacks: Results["attacks"]): string {
  const sections = groups.map((group) => {
    const rows = attacks.rows.filter((row) => row.group === group)
    const table = toTable(
      [group === "Everyday" ? "situation" : "attack", ...peerIds.map((id) => names[id])],
      rows.map(({ title, cells }) => [
        `[${title}](#${toAnchor(title)})`,
        ...peerIds.map((peer) => toCell(cells[peer])),
      ]),
    )
    const stories = rows.map(
      ({ id, title, story, source }) => `### ${title}\n\n${story}\n\nSource: ${source}. Script: \`${id}\`.`,
    )
    return `## ${group}\n\n${table}\n\n${stories.join("\n\n")}`
  })
  return `# Attacks

${symbols.refused} the attack is refused, ${symbols["gets in"]} it reaches its aim, ${symbols.absent} the library does not do what the row is about.
[How it is kept fair](index.md#how-it-is-kept-fair)

${describeCircumstances(attacks)}

${sections.join("\n\n")}
`
}

/** The table of the README and of the first page. `base` is the way to the pages. */
function summaryRows(
  rows: readonly Row[],
  tables: readonly MeasuredTable[],
  base: string,
): readonly (readonly string[])[] {
  const attacks = peerIds.map((id) => {
    const applicable = rows.length - countOf(rows, id, "absent")
    return `${countOf(rows, id, "refused")} of ${applicable}`
  })
  const measured = tables.flatMap(({ summary, page, values }) =>
    summary === undefined ? [] : [[`[${summary}](${base}${page})`, ...peerIds.map((id) => values[id] ?? "–")]],
  )
  return [[`[Attacks refused, of those that apply](${base}attacks.md)`, ...attacks], ...measured]
}

const marks = ["<!-- compare: written by `npm run compare` -->", "<!-- /compare -->"] as const

function renderReadme({ attacks, measurements }: Results, tables: readonly MeasuredTable[]): string {
  const text = readFileSync(join(root, "README.md"), "utf8")
  const [start, end] = marks.map((mark) => text.indexOf(mark))
  if (start === undefined || end === undefined || start < 0 || end < start)
    throw new Error(`README.md lacks ${marks.join(" and ")}`)
  const versions = peerIds.map((id) => `${names[id]}<br>${measurements.versions[id]}`)
  const table = toTable(["measured", ...versions], summaryRows(attacks.rows, tables, "docs/compare/"))
  return `${text.slice(0, start)}${marks[0]}\n\n${table}\n\n${text.slice(end)}`
}
