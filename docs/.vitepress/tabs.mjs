// Code that a page shows in several variants becomes tabs: an install command for each package manager, and samples of
// several frameworks. In the committed page each stands by itself, so that it reads well on the forge too.

/** The commands of the other package managers for a line of `npm install`. */
function translate(line, manager) {
  const [command, comment = ""] = line.split(/(?=\s+#)/)
  const isDev = /\s(?:--save-dev|-D)\b/.test(command)
  const names = command.replace(/^npm install\s*/, "").replace(/(?:--save-dev|-D)\s+/, "")
  const verbs = {
    npm: ["npm install", "--save-dev"],
    pnpm: ["pnpm add", "--save-dev"],
    yarn: ["yarn add", "--dev"],
    bun: ["bun add", "--dev"],
  }
  const [verb, flag] = verbs[manager]
  return `${[verb, ...(isDev ? [flag] : []), names].join(" ")}${comment}`
}

const isInstall = ({ info, content }) =>
  /^sh\b/.test(info.trim()) &&
  content
    .trim()
    .split("\n")
    .every((line) => /^npm install \S/.test(line))

const managers = ["npm", "pnpm", "yarn", "bun"]
const label = (info, title) => `${info.trim() || "text"} [${title}]`

/** Surrounds the tokens of several blocks with those of a code group. */
function toGroup(Token, fences) {
  const open = new Token("container_code-group_open", "div", 1)
  open.info = "code-group"
  open.block = true
  const close = new Token("container_code-group_close", "div", -1)
  close.info = "code-group"
  close.block = true
  return [open, ...fences, close]
}

function withInfo(Token, fence, info, content = fence.content) {
  const copy = Object.assign(new Token("fence", "code", 0), fence)
  return Object.assign(copy, { info, content })
}

/** The same commands for each package manager. */
function toManagers(Token, fence) {
  const lines = fence.content.trimEnd().split("\n")
  return managers.map((manager) => {
    const content = `${lines.map((line) => translate(line, manager)).join("\n")}\n`
    return withInfo(Token, fence, label(fence.info, manager), content)
  })
}

const tabs = /^<!--\s*tabs:\s*(.*?)\s*-->\s*$/

/** The names of a mark. Empty for everything else. */
function readNames({ type, content }) {
  const [, names] = (type === "html_block" && content.match(tabs)) || []
  return names?.split(/,\s*/) ?? []
}

/** The blocks that follow a mark, each with its name. */
function toNamed(Token, names, fences, path) {
  if (fences.length < names.length || fences.some(({ type }) => type !== "fence"))
    throw new Error(`${path}: "tabs: ${names.join(", ")}" does not stand before ${names.length} blocks of code`)
  return fences.map((fence, place) => withInfo(Token, fence, label(fence.info, names[place])))
}

/**
 * Write `<!-- tabs: Express, Next.js -->` before consecutive blocks, one for each name, to show them as tabs. The search index
 * (`isIndex` of `env`) has the first one alone: with all of them, every page would be about every framework.
 */
export function groupCode(markdown) {
  markdown.core.ruler.push("group_code", (state) => {
    const { tokens, env } = state
    const show = (group, fences) => (env.isIndex ? fences.slice(0, 1) : toGroup(state.Token, group))
    const grouped = []
    for (let index = 0; index < tokens.length; index += 1) {
      const token = tokens[index]
      const names = readNames(token)
      const fences = tokens.slice(index + 1, index + 1 + names.length)
      if (names.length > 0) {
        grouped.push(...show(toNamed(state.Token, names, fences, env.relativePath), fences))
        index += names.length
      } else if (token.type === "fence" && isInstall(token)) {
        grouped.push(...show(toManagers(state.Token, token), [token]))
      } else grouped.push(token)
    }
    state.tokens = grouped
  })
}
