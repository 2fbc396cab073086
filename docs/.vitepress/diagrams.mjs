// Draws the Mermaid diagrams of the pages as SVG while the site is built.
import { renderMermaidSVG } from "beautiful-mermaid"

const colors = {
  bg: "var(--vp-c-bg)",
  fg: "var(--vp-c-text-1)",
  line: "var(--diagram-line)",
  accent: "var(--vp-c-brand-1)",
  muted: "var(--vp-c-text-1)",
  surface: "var(--vp-c-bg-soft)",
  border: "var(--diagram-line)",
}

const escapeText = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** The first line of a diagram is `%% title: ...`, which screen readers announce. */
function draw(source, index) {
  const [, title] = source.match(/^%% title: (.*)$/m) ?? []
  if (!title) throw new Error(`A diagram has no title. Begin it with "%% title: what it shows":\n${source}`)
  const svg = renderMermaidSVG(source, { ...colors, transparent: true, font: "inherit" })
  return (
    svg
      // The library links a font of another host.
      .replace(/@import url\([^)]*\);/g, "")
      .replace(/font-family:[^;]*;/g, "font-family: inherit;")
      // Ids are shared by all diagrams of a page.
      .replace(/(id="|url\(#)([\w-]+)/g, `$1d${index}-$2`)
      .replace("<svg ", `<svg role="img" aria-label="${escapeText(title)}" `)
      // Vue removes style elements from templates.
      .replace(
        /<style>([\s\S]*?)<\/style>/,
        (_, css) => `<component is="style">${css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\s+/g, " ")}</component>`,
      )
  )
}

/** Replaces the fences with the language `mermaid`. */
export function drawDiagrams(markdown) {
  const fence = markdown.renderer.rules.fence
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index]
    if (info.trim() !== "mermaid") return fence(tokens, index, ...rest)
    return `<figure class="diagram" tabindex="0" role="group" aria-label="Diagram">${draw(content, index)}</figure>\n`
  }
}
