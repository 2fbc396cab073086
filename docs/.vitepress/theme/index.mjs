import { useData, withBase } from "vitepress"
import DefaultTheme from "vitepress/theme-without-fonts"
import { h } from "vue"
import "./style.css"

const frameworks = {
  next: "Next.js",
  sveltekit: "SvelteKit",
  express: "Express",
  fastify: "Fastify",
  hono: "Hono",
  node: "Node",
  qwik: "Qwik City",
  "solid-start": "SolidStart",
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

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-before": () => [h(ContentsLink), h(FrameworkTabs)] }),
}
