import { useData, withBase } from "vitepress"
import DefaultTheme from "vitepress/theme-without-fonts"
import { h, watchPostEffect } from "vue"
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

const Layout = {
  setup() {
    useMainLandmark()
    return () => h(DefaultTheme.Layout, null, { "doc-before": () => [h(ContentsLink), h(FrameworkTabs)] })
  },
}

export default { extends: DefaultTheme, Layout }
