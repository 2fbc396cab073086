// The public addresses of the project, which stand in one place: `publishing` in the package.json of the repository.
// The release writes them into the manifest and the README of each tarball, so that both stand alone on the registry.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, posix } from "node:path"

const root = join(import.meta.dirname, "..")
const { publishing } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const links = /\]\((\.\.?\/[^()\s]+)\)/g
const withoutCode = (text) => text.replace(/^ *```[^\n]*\n[\s\S]*?^ *```$/gm, "")

/** The addresses that are not set yet. */
export const missingAddresses = Object.keys(publishing).filter((name) => publishing[name] === "")

/** What a README lacks that has to stand alone: a title, a sentence, an install command, code, links that lead somewhere. */
export function findReadmeFaults(folder, name) {
  const text = readFileSync(join(root, folder, "README.md"), "utf8")
  const prose = withoutCode(text)
  const lost = [...prose.matchAll(links)]
    .map(([, href]) => href.replace(/#.*/, ""))
    .filter((href) => !existsSync(join(root, folder, href)))
  return [
    ...(text.startsWith(`# ${name}\n`) ? [] : [`has a README that does not begin with "# ${name}"`]),
    ...(/^# .*\n\n[A-Z`]/.test(text) ? [] : ["has a README that does not say first what the package is"]),
    ...(/^(?:npm install|npx) /m.test(text) ? [] : ["has a README without an install command"]),
    ...((text.match(/^```/gm) ?? []).length >= 4 ? [] : ["has a README without an example"]),
    ...lost.map((href) => `has a README that links to ${href}, which does not exist`),
  ]
}

/** Links to files of the repository become links to its public address. */
const rewriteLinks = (text, folder, repository) =>
  text.replace(links, (_, href) => `](${repository}/blob/HEAD/${posix.join(folder, href)})`)

/** What READMEs say at "Install" until the packages are published. */
const notice = /^The packages are not on the npm registry yet: .*\n\n/gm

/** Writes the addresses that are set into an unpacked package, whose README no longer says that it is not published. */
export function writeAddresses(unpacked, folder, { repository, homepage, bugs } = publishing) {
  const file = join(unpacked, "package.json")
  const manifest = {
    ...JSON.parse(readFileSync(file, "utf8")),
    ...(repository && { repository: { type: "git", url: `git+${repository}.git`, directory: folder } }),
    ...(homepage && { homepage }),
    ...(bugs && { bugs: { url: bugs } }),
  }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  const readme = join(unpacked, "README.md")
  const text = readFileSync(readme, "utf8").replace(notice, "")
  writeFileSync(readme, repository ? rewriteLinks(text, folder, repository) : text)
}
