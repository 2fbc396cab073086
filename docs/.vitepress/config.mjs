import { readFileSync } from "node:fs"
import { describe } from "./description.mjs"
import { drawDiagrams } from "./diagrams.mjs"
import { indexOptions, rankPages, renderForSearch } from "./search/build.mjs"
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
    const text = page.frontmatter.hero?.tagline ?? page.frontmatter.description ?? describe(source)
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
  vite: { plugins: [titlesAsButtons, rankPages] },
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
    search: { provider: "local", options: { _render: renderForSearch, miniSearch: { options: indexOptions } } },
    footer: { message: 'MIT license. <a href="/contents.html">All pages</a>' },
  },
}
