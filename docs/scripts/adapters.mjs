// One page for each adapter, from docs/adapters.json, which has the results of the shared suite.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root, writePage } from "./pages.mjs"

const list = (items) => items.map((item) => `- ${item}`).join("\n")

/** What the adapter does in one database. */
function describeColumn({ engine, without, broken, unasked }, total) {
  const failed = Object.entries(broken)
  const kept = total - failed.length - unasked.length
  return [
    `## ${engine}`,
    `Keeps ${kept} of ${total} guarantees${unasked.length > 0 ? `; ${unasked.length} are about methods that it lacks` : ""}.`,
    ...(failed.length > 0 ? ["Does not keep:", list(failed.map(([title, reason]) => `${title}: ${reason}`))] : []),
    ...(without.length > 0 ? [`Lacks: ${without.map((name) => `\`${name}\``).join(", ")}.`] : []),
  ].join("\n\n")
}

function writeAdapter(name, columns, total) {
  const isOurs = name.startsWith("@latchkey/")
  const slug = name.replace("@latchkey/", "").replace("@auth/", "auth-")
  const [, own] = name.match(/^@latchkey\/(.*)/) ?? []
  const more = isOurs
    ? [`[Installation and options](../packages/${own}.md)`, `[API reference](../api/${own}.md)`]
    : ["[Moving to an adapter of ours, with the same data](../guides/moving-stores.md)"]
  writePage(
    `adapters/${slug}.md`,
    [
      `# ${name}`,
      isOurs
        ? `What \`${name}\` guarantees, tested with the real databases.`
        : `\`${name}\`, as published, works with Latchkey unchanged. This is what it guarantees, tested with the real databases.`,
      ...columns.map((column) => describeColumn(column, total)),
      "## More",
      list([...more, "[All adapters, guarantee by guarantee](../adapters.md)", "[Databases](../guides/stores.md)"]),
    ].join("\n\n"),
  )
  return { path: `adapters/${slug}.md`, text: name }
}

/** Returns the pages that it wrote. */
export function writeAdapters() {
  const { claims, columns } = JSON.parse(readFileSync(join(root, "docs", "adapters.json"), "utf8"))
  const total = Object.values(claims).flat().length
  const byName = Map.groupBy(columns, ({ adapter }) => adapter)
  return [...byName].map(([name, own]) => writeAdapter(name, own, total))
}
