// The workspaces of this repository, from their manifests. No script or configuration has a list of its own.
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "..")
const readManifest = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))

const found = readManifest(".")
  .workspaces.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
  .map((file) => dirname(file).replaceAll("\\", "/"))
  .sort()
  .map((folder) => ({ folder, manifest: readManifest(folder) }))

const folderOf = new Map(found.map(({ folder, manifest }) => [manifest.name, folder]))

const foldersOf = (...records) => Object.keys(Object.assign({}, ...records)).flatMap((name) => folderOf.get(name) ?? [])

/** Each workspace: its folder, its manifest, and the folders of the workspaces that its sources and its tests may import. */
export const workspaces = found.map(({ folder, manifest }) => ({
  folder,
  manifest,
  dependencies: foldersOf(manifest.dependencies, manifest.peerDependencies),
  devDependencies: foldersOf(manifest.devDependencies),
}))

/** Folders of the packages that are published. */
export const published = workspaces
  .filter(({ folder, manifest }) => folder.startsWith("packages/") && !manifest.private)
  .map(({ folder }) => folder)
