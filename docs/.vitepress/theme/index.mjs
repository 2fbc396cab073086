import { onContentUpdated, useData, useRoute, withBase } from "vitepress"
import DefaultTheme from "vitepress/theme-without-fonts"
import { h, nextTick, onMounted, onUnmounted, watch, watchPostEffect } from "vue"
import "./style.css"

const frameworks = {
  next: "Next.js",
  sveltekit: "SvelteKit",
  express: "Express",
  fastify: "Fastify",
  hono: "Hono",
  koa: "Koa",
  elysia: "Elysia",
  nestjs: "NestJS",
  node: "Node",
  bun: "Bun",
  deno: "Deno",
  qwik: "Qwik City",
  "solid-start": "SolidStart",
  astro: "Astro",
  "react-router": "React Router",
  nuxt: "Nuxt",
  "tanstack-start": "TanStack Start",
}

/** The frameworks above each page of the quick start. */
function FrameworkTabs() {
  const { page } = useData()
  const [, current] = page.value.relativePath.match(/^start\/([\w-]+)\.md$/) ?? []
  if (current === undefined) return null
  const links = Object.entries(frameworks).map(([name, text]) =>
    h("a", { href: withBase(`/start/${name}.html`), "aria-current": name === current ? "page" : undefined }, text),
  )
  return h("nav", { class: "framework-tabs", "aria-label": "Frameworks" }, links)
}

const ContentsLink = () =>
  h("p", { class: "scripting-none" }, h("a", { href: withBase("/contents.html") }, "All pages"))

/** Marks the content of the front page, which the theme leaves without a landmark; other pages have a `main` inside. */
function useMainLandmark() {
  const { frontmatter } = useData()
  watchPostEffect(() => {
    const content = globalThis.document?.getElementById("VPContent")
    if (frontmatter.value.layout === "home") content?.setAttribute("role", "main")
    else content?.removeAttribute("role")
  })
}

/** Scrolls the menu to the open page, which a long menu would otherwise hide. */
function useMenuPosition() {
  const route = useRoute()
  async function showActive() {
    await nextTick()
    const menu = document.querySelector(".VPSidebar")
    const active = menu?.querySelector(".VPSidebarItem.is-active.is-link:not(.has-active) > .item, .is-active > .item")
    if (!active) return
    const { top } = active.getBoundingClientRect()
    const { top: start, height } = menu.getBoundingClientRect()
    if (top < start || top > start + height - 80) menu.scrollTop += top - start - height / 3
  }
  onMounted(showActive)
  watch(() => route.path, showActive, { flush: "post" })
}

const chosenKey = "latchkey-tabs"

/** The names of the tabs that a visitor has chosen on any page, the last one first. */
function readChosen() {
  try {
    const names = JSON.parse(localStorage.getItem(chosenKey) ?? "[]")
    return Array.isArray(names) ? names : []
  } catch {
    return []
  }
}

function keepChosen(name) {
  try {
    localStorage.setItem(chosenKey, JSON.stringify([...new Set([name, ...readChosen()])].slice(0, 8)))
  } catch {
    // Without storage, the choice counts for this page.
  }
}

/** Shows the chosen tab in each group that has it, except for the one in which it was clicked. */
function showChosen(names, clicked) {
  for (const group of document.querySelectorAll(".vp-code-group")) {
    const labels = [...group.querySelectorAll(".tabs label")]
    const place = names.map((name) => labels.findIndex(({ textContent }) => textContent === name)).find((at) => at >= 0)
    if (group === clicked || place === undefined) continue
    const input = group.querySelectorAll(".tabs input")[place]
    input.checked = true
    for (const [at, block] of [...group.querySelector(".blocks").children].entries())
      block.classList.toggle("active", at === place)
  }
}

/** A framework or package manager that a visitor chooses is shown everywhere. */
function useTabs() {
  function choose({ target }) {
    const group = target.closest?.(".vp-code-group .tabs")?.parentElement
    const name = group?.querySelector(`label[for="${target.id}"]`)?.textContent
    if (!name) return
    keepChosen(name)
    const before = target.getBoundingClientRect().top
    showChosen([name], group)
    // Groups above may have another height now, and what was clicked stays where it is.
    window.scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" })
  }
  onContentUpdated(() => showChosen(readChosen()))
  onMounted(() => addEventListener("change", choose))
  onUnmounted(() => removeEventListener("change", choose))
}

/** The page as plain text, for people and programs that read Markdown. */
function MarkdownLink() {
  const { page } = useData()
  // The router would open it as a page of its own.
  const link = { href: withBase(`/${page.value.relativePath}`), target: "_self" }
  return h("p", { class: "markdown-link" }, h("a", link, "This page as Markdown"))
}

const Layout = {
  setup() {
    useMainLandmark()
    useMenuPosition()
    useTabs()
    const slots = {
      "doc-before": () => [h(ContentsLink), h(FrameworkTabs)],
      "doc-footer-before": () => h(MarkdownLink),
    }
    return () => h(DefaultTheme.Layout, null, slots)
  },
}

/** The menu of each folder. A page of no folder has a key of its own. */
function toSidebar(parts) {
  const toKey = (folder) =>
    folder.endsWith(".html") ? `/${folder.replace(".html", "")}` : `/${folder && `${folder}/`}`
  return Object.fromEntries(parts.flatMap(({ folders, groups }) => folders.map((folder) => [toKey(folder), groups])))
}

function enhanceApp({ siteData }) {
  const { themeConfig } = siteData.value
  siteData.value = { ...siteData.value, themeConfig: { ...themeConfig, sidebar: toSidebar(themeConfig.parts) } }
}

export default { extends: DefaultTheme, Layout, enhanceApp }
