import { readFileSync } from "node:fs"
import { describe } from "./description.mjs"
import { drawDiagrams } from "./diagrams.mjs"
import { groupCode } from "./tabs.mjs"

const { version } = JSON.parse(readFileSync(new URL("../../packages/core/package.json", import.meta.url), "utf8"))
const { publishing } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
const sources = JSON.parse(readFileSync(new URL("../generated/sources.json", import.meta.url), "utf8"))
const parts = JSON.parse(readFileSync(new URL("../generated/navigation.json", import.meta.url), "utf8"))

/** The anchor of a heading as the forge forms it, so that a link works in both places. */
const toAnchor = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")

/** Words that people search for and that a page does not use, by its path and heading. */
const otherWords = JSON.parse(readFileSync(new URL("../search-words.json", import.meta.url), "utf8"))

function addOtherWords(html, path) {
  return Object.entries(otherWords[path] ?? {}).reduce((text, [heading, words]) => {
    // Several times, because a word counts little in a long section.
    const paragraph = `<p>${words}</p>`.repeat(3)
    const added = text.replace(new RegExp(`<h[1-6] id="${heading}"[\\s\\S]*?</h[1-6]>`), `$&${paragraph}`)
    if (added === text) throw new Error(`docs/search-words.json: ${path} has no heading #${heading}`)
    return added
  }, html)
}

/**
 * What the search index has of a page: all of it, but of the API reference only the names, which are headings. They would
 * otherwise fill the index and outrank the guides.
 */
function renderForSearch(source, env, markdown) {
  const html = markdown.render(source, Object.assign(env, { isIndex: true }))
  if (env.frontmatter?.search === false || env.relativePath === "security-cases.md") return ""
  if (!env.relativePath.startsWith("api/")) return addOtherWords(html, env.relativePath)
  return (html.match(/<h[123][\s\S]*?<\/h[123]>/g) ?? []).join("\n")
}

// The functions below run in the browser too, so they may not use anything from this file.
const miniSearch = {
  options: {
    processTerm(term) {
      const word = term.toLowerCase()
      // What people type, in the words of the pages.
      const same = { login: "sign", signin: "sign", logout: "out", signout: "out", avatar: "picture", photo: "picture" }
      if (Object.hasOwn(same, word)) return [word, same[word]]
      const isCommon =
        /^(?:a|add|an|and|are|as|at|be|by|can|could|do|does|for|from|get|have|how|i|if|in|is|it|its|me|my|not|of|on|or|our|should|so|that|the|their|them|there|they|this|to|too|use|want|we|what|when|where|which|why|will|with|without|you|your)$/
      return isCommon.test(word) ? null : word
    },
  },
  searchOptions: {
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    prefix: true,
    boost: { title: 2, titles: 1, text: 1 },
    // Words that most pages contain say little about what is meant.
    boostTerm(term) {
      if (/^(?:app|email|error|link|log|login|logout|new|page|provider|session|sign|type|user)s?$/.test(term))
        return 0.3
      // What happens to the subject says less than the subject. A long word is most often a name from code.
      if (
        /^(?:access|after|allow|before|change|different|missing|only|receive|require|show|undefined|work)(?:d|ed|ing)?$/.test(
          term,
        )
      )
        return 0.5
      return term.length > 11 ? 1.5 : 1
    },
    boostDocument: (id) => {
      if (/^\/(?:api|compare|decisions|packages|conformance|threat-model|adapters\.|project\/)/.test(id)) return 0.35
      // Evidence, with long tables.
      if (/^\/(?:frameworks|planted-mistakes)\.|#mistakes-that-were-planted$/.test(id)) return 0.35
      if (/^\/(?:providers|adapters|reference|options(?!\/events))\//.test(id)) return 0.5
      // Short answers that lead to a guide come after it.
      if (/^\/guides\/(?:how-to|common-problems)\./.test(id)) return 0.7
      if (/^\/(?:recipes\/|guides\/moving)/.test(id)) return 0.8
      return /^\/(?:testing|moving-from)\//.test(id) ? 0.6 : 1
    },
  },
}

/** An empty cell in the first row of a table heads nothing: a screen reader would announce a heading without text. */
function makeEmptyHeadersCells(markdown) {
  markdown.core.ruler.push("empty_headers", ({ tokens }) => {
    for (const [index, { type, content }] of tokens.entries()) {
      const [open, close] = [tokens[index - 1], tokens[index + 1]]
      if (type !== "inline" || content !== "" || open?.type !== "th_open") continue
      open.tag = "td"
      close.tag = "td"
    }
  })
}

const nav = [
  ...parts.map(({ title, groups }) => ({ text: title, link: groups[0].items[0].link })),
  { text: version, link: "/project/upgrade-notes" },
]

/**
 * The theme makes the title of a collapsed group a button, and the arrow in it another one, which a screen reader cannot
 * reach. Here the arrow is a picture, and the title says whether its group is open.
 */
const titlesAsButtons = {
  name: "titles-as-buttons",
  enforce: "pre",
  transform(source, id) {
    if (!id.endsWith("/VPSidebarItem.vue")) return null
    return [
      [/role="button"\s+aria-label="toggle section"/, 'aria-hidden="true"'],
      [/@keydown.enter="onCaretClick"\s+tabindex="0"/, ""],
      [':tabindex="item.items && 0"', '$& :aria-expanded="item.collapsed == null ? undefined : !collapsed"'],
    ].reduce((text, [old, own]) => {
      const changed = text.replace(old, own)
      if (changed === text) throw new Error(`VPSidebarItem.vue of the theme has no ${old} any more`)
      return changed
    }, source)
  },
}

const description = "Authentication for the Web, in TypeScript."

/** What other sites show of a page that links here. Its picture and address need the public address of the site. */
function describePage({ page, title, description: text, pageData }) {
  const { homepage } = publishing
  const path = page.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, ".html")
  const properties = {
    "og:type": "website",
    "og:site_name": "Latchkey",
    "og:title": pageData.title || title,
    "og:description": text || description,
    ...(homepage && { "og:url": `${homepage}/${path}`, "og:image": `${homepage}/social.png` }),
  }
  const tags = Object.entries(properties).map(([property, content]) => ["meta", { property, content }])
  return [
    ...tags,
    ...(page === "404.md" ? [] : [["link", { rel: "alternate", type: "text/markdown", href: `/${page}` }]]),
    ...(homepage ? [["meta", { name: "twitter:card", content: "summary_large_image" }]] : []),
  ]
}

export default {
  title: "Latchkey",
  description,
  lang: "en-US",
  srcDir: "generated/site",
  outDir: "dist",
  cacheDir: "generated/cache",
  cleanUrls: false,
  metaChunk: true,
  // A page with many links would load megabytes.
  router: { prefetchLinks: false },
  // The pages are self-contained: no font, script or search service of another host.
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: "/icon.svg" }],
    ["meta", { name: "theme-color", content: "#0f6b5c" }],
  ],
  transformPageData(page) {
    const { file, updated } = sources[page.relativePath] ?? {}
    if (file === undefined) page.frontmatter.editLink = false
    const source = readFileSync(new URL(`../generated/site/${page.relativePath}`, import.meta.url), "utf8")
    const text = page.frontmatter.hero?.tagline ?? describe(source)
    return {
      ...(text && { description: text }),
      ...(file && { filePath: file }),
      ...(updated && { lastUpdated: updated }),
    }
  },
  transformHead: describePage,
  ...(publishing.homepage && { sitemap: { hostname: publishing.homepage } }),
  // The front page of the theme has no landmark for its content. theme/index.mjs keeps it right in the browser.
  transformHtml: (html, _, { page }) =>
    page === "index.md" ? html.replace('id="VPContent"', 'id="VPContent" role="main"') : html,
  vite: { plugins: [titlesAsButtons] },
  markdown: {
    config(markdown) {
      drawDiagrams(markdown)
      groupCode(markdown)
      makeEmptyHeadersCells(markdown)
    },
    anchor: { slugify: toAnchor },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    languageAlias: { caddyfile: "nginx" },
  },
  themeConfig: {
    logo: "/icon.svg",
    nav,
    // Every visitor loads it, so that each part is in it once. theme/index.mjs gives it to each of its folders.
    parts: parts.map(({ folders, groups }) => ({ folders, groups })),
    sidebar: {},
    outline: [2, 3],
    ...(publishing.repository && {
      editLink: { pattern: `${publishing.repository}/edit/HEAD/:path` },
    }),
    search: { provider: "local", options: { _render: renderForSearch, miniSearch } },
    footer: { message: 'MIT license. <a href="/contents.html">All pages</a>' },
  },
}
