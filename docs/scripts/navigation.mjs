// The menu of the site. Every page is in it: a page that has no place here comes last in the group of its folder.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, posix } from "node:path"
import { site, writePage } from "./pages.mjs"

const titleOf = (path) =>
  readFileSync(join(site, path), "utf8")
    .match(/^# (.*)$/m)?.[1]
    .replaceAll("`", "") ?? path
const linkOf = (path) => `/${path.replace(/\.md$/, "").replace(/(^|\/)index$/, "$1")}`
const entry = (path, text = titleOf(path)) => ({ text, link: linkOf(path), path })
const group = (text, paths) => ({ text, items: paths.map((path) => (typeof path === "string" ? entry(path) : path)) })
const inFolder = (folder, names) => names.map((name) => `${folder}/${name}.md`)

const toHtml = (path) => path.replace(".md", ".html")

const frameworks = [
  ...[
    "next",
    "sveltekit",
    "express",
    "fastify",
    "hono",
    "koa",
    "elysia",
    "nestjs",
    "node",
    "bun",
    "deno",
    "qwik",
    "solid-start",
  ],
  ...["astro", "react-router", "nuxt", "tanstack-start"],
]

const options = [
  ...["index", "callbacks", "events", "session", "jwt", "cookies", "pages", "theme", "logger"],
  ...["rate-limit", "request-limits"],
]

const growing = ["speed.md", "scaling.md"]

function learnGroups() {
  return [
    group(
      "Start",
      ["index", ...frameworks].map((name) => {
        const path = `start/${name}.md`
        return entry(path, titleOf(path).replace(/^Start with /, ""))
      }),
    ),
    group("Concepts", inFolder("concepts", ["sign-in", "cookies", "sessions", "secrets"])),
    group(
      "Guides",
      inFolder("guides", [
        ...[
          "how-to",
          "common-problems",
          "configuration",
          "public-url",
          "pages",
          "sessions",
          "accounts",
          "providers",
          "oauth",
          "email",
          "passwords",
          "passkeys",
          "second-factors",
          "account-area",
          "own-forms",
        ],
        ...[
          "tokens",
          "native-apps",
          "logout",
          "stores",
          "clients",
          "errors",
          "finding-mistakes",
          "rate-limiting",
          "security",
        ],
      ]).concat(growing),
    ),
    group(
      "Frameworks",
      inFolder("guides", [
        ...["next", "sveltekit", "solid-start", "qwik", "astro", "react-router", "nuxt", "tanstack-start"],
        ...["hono", "fastify", "koa", "elysia", "nestjs"],
      ]),
    ),
    group("Testing", inFolder("testing", ["index", "vitest", "playwright", "providers"])),
    group("Moving from Auth.js", inFolder("guides", ["moving", "moving-sessions", "moving-users", "moving-stores"])),
    group(
      "Moving from other libraries",
      inFolder("moving-from", [
        ...["next-auth-v4", "better-auth", "lucia", "express-session", "cookie-session", "supabase", "auth0"],
        ...["clerk", "iron-session", "workos", "firebase", "other-guides"],
      ]),
    ),
  ]
}

const cookbook = [
  ...["who-may-sign-in", "roles", "redirects", "custom-pages", "refresh-tokens", "several-domains", "subdomains"],
  "split-configuration",
  ...["mobile", "csp", "translations", "rate-limits", "proxies", "outbound-proxy"],
  ...["production", "docker", "kubernetes", "lambda", "vercel", "workers"],
]

const recipes = ["provider", "adapter", "framework", "action", "method", "example"]

/** The groups of each part of the site, by the folders that belong to it. `pages` are all pages, in any order. */
function createParts({ providers, adapters, api, reference, pages }) {
  const decisions = pages.filter((path) => /^decisions\/(?!index)/.test(path)).sort()
  const packages = pages.filter((path) => path.startsWith("packages/")).sort()
  const ofType = (...types) =>
    providers.filter(({ type }) => types.includes(type)).map(({ path, text }) => entry(path, text))
  const comparison = inFolder("compare", ["index", "attacks", "passwords", "speed", "size"])
  const project = [
    "support.md",
    "not-offered.md",
    "project/upgrade-notes.md",
    "releasing.md",
    "project/contributing.md",
    "project/security-policy.md",
    "project/bench.md",
    "project/compat.md",
  ]
  const evidence = [
    "threat-model.md",
    "security-cases.md",
    "conformance.md",
    "runtimes.md",
    "frameworks.md",
    "planted-mistakes.md",
    "languages.md",
  ]
  return [
    {
      title: "Learn",
      folders: ["start", "concepts", "guides", "moving-from", "testing", ...growing.map(toHtml)],
      groups: learnGroups(),
    },
    { title: "Cookbook", folders: ["cookbook"], groups: [group("Cookbook", inFolder("cookbook", cookbook))] },
    {
      title: "Providers",
      folders: ["providers", "providers.html"],
      groups: [
        group("Overview", ["providers.md"]),
        group("Passwords and passkeys", ofType("own")),
        group("Email links", ofType("email")),
        group("OAuth and OpenID Connect", ofType("oauth", "oidc")),
      ],
    },
    {
      title: "Reference",
      folders: ["options", "reference", "adapters", "adapters.html", "packages", "api"],
      groups: [
        group("Options", inFolder("options", options).concat("options/features.md")),
        group("Reference", reference),
        group("Adapters", ["adapters.md", ...adapters.map(({ path, text }) => entry(path, text))]),
        group("Packages", packages),
        group("API", ["api/index.md", ...api.map(({ path, text }) => entry(path, text))]),
      ],
    },
    {
      title: "Project",
      // All other pages. Each folder gets a copy of the menu, which every visitor loads.
      folders: [""],
      groups: [
        group("Project", pages.filter((path) => project.includes(path)).sort()),
        group("Compared with other libraries", comparison),
        group("Evidence", [...evidence, "questions.md"]),
        group("Recipes for contributors", inFolder("recipes", recipes)),
        group("Design decisions", ["decisions/index.md", ...decisions]),
      ],
    },
  ]
}

/** A page that lists all others, for visitors without scripts, who cannot search. */
function writeContents(parts) {
  const sections = parts.map(({ title, groups }) => {
    const lists = groups.map(
      ({ text, items }) => `### ${text}\n\n${items.map(({ text: name, path }) => `- [${name}](./${path})`).join("\n")}`,
    )
    return `## ${title}\n\n${lists.join("\n\n")}`
  })
  writePage(
    "contents.md",
    `---\nsearch: false\nsidebar: false\nprev: false\nnext: false\n---\n\n# All pages\n\n${sections.join("\n\n")}`,
  )
}

/** The first sentences of a page, without marks. */
function summarize(path) {
  const text = readFileSync(join(site, path), "utf8").replace(/^---\n[\s\S]*?\n---\n/, "")
  const [, paragraph = ""] = text.match(/^# .*\n+([A-Z`*[][^\n]*(?:\n[^\n#|`-][^\n]*)*)/m) ?? []
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\s+/g, " ")
  return plain.match(/^.{20,240}?[.:](?= |$)/)?.[0].replace(/:$/, ".") ?? ""
}

/** llms.txt (https://llmstxt.org): what the site has, with the address of each page as Markdown. */
function writeIndexForMachines(parts) {
  const sections = parts.flatMap(({ title, groups }) =>
    groups.map(({ text, items }) => {
      const lines = items.map(({ text: name, path }) => {
        const summary = path.startsWith("api/") ? "" : summarize(path)
        return `- [${name}](/${path})${summary && `: ${summary}`}`
      })
      return `## ${title === text ? title : `${title}: ${text}`}\n\n${lines.join("\n")}`
    }),
  )
  const intro =
    "# Latchkey\n\n> Authentication for the Web, in TypeScript: `Auth(request, config)` turns a Request into a Response, and a package for each framework mounts it. The contract of Auth.js, and beyond it passwords, second factors, an account area and native apps."
  mkdirSync(join(site, "public"), { recursive: true })
  writeFileSync(join(site, "public", "llms.txt"), `${intro}\n\n${sections.join("\n\n")}\n`)
}

/** Appends a page that no list above names to the group of its folder. Fails if the folder has no group. */
function addForgottenPages(parts, pages) {
  const groups = parts.flatMap((part) => part.groups)
  const listed = new Set(groups.flatMap(({ items }) => items.map(({ path }) => path)))
  for (const page of pages.filter((path) => path !== "index.md" && !listed.has(path))) {
    const folder = posix.dirname(page)
    const found = groups.find(({ items }) => folder !== "." && items.some(({ path }) => posix.dirname(path) === folder))
    if (found === undefined) throw new Error(`docs/scripts/navigation.mjs has no place for ${page}`)
    found.items.push(entry(page))
  }
}

/** What a part of the menu shows at first. The group of the open page is never closed. */
const open = ["Guides", "Cookbook", "Overview", "Options", "Reference", "Project", "Evidence"]

/** Writes the menu for .vitepress/config.mjs. */
export function writeNavigation(written) {
  const parts = createParts(written)
  addForgottenPages(parts, written.pages)
  writeContents(parts)
  writeIndexForMachines(parts)
  const withoutPath = parts.map(({ title, folders, groups }) => ({
    title,
    folders,
    groups: groups.map(({ text, items }) => ({
      text,
      ...(groups.length > 1 && { collapsed: !open.includes(text) }),
      items: items.map(({ text: name, link }) => ({ text: name, link })),
    })),
  }))
  writeFileSync(join(site, "..", "navigation.json"), JSON.stringify(withoutPath))
}
