import { showStylesheet } from "../../actions/assets.js"
import type { AuthRequest } from "../../http/request.js"
import type { PageFrame } from "../../pages/document.js"
import { codePageScriptVersion } from "../../pages/generated/code-page-script-version.js"
import type { ActionContext, Route } from "../feature.js"
import { extendStylesheet, toFrame } from "../page.js"

/** Paths of what the pages with a key or with recovery codes load. */
export const stylesheetPath = "second-factor/style.css"
export const scriptPath = "second-factor/page.js"

/** The frame of these pages. They look like all others, and have a few rules besides. */
export async function toFactorFrame(
  request: AuthRequest,
  context: ActionContext,
): Promise<PageFrame & { readonly scriptUrl: string }> {
  const { version } = await extendStylesheet(context, rules)
  return {
    ...(await toFrame(request, context)),
    stylesheetUrl: `${context.actionUrl(request, stylesheetPath)}?v=${version}`,
    scriptUrl: `${context.actionUrl(request, scriptPath)}?v=${codePageScriptVersion}`,
  }
}

export const showFactorStylesheet: Route = (request, context) =>
  showStylesheet(request, { stylesheet: () => extendStylesheet(context, rules) })

/** `GET second-factor/page.js`: copies and prints. The pages work without it. */
export const showFactorScript: Route = async ({ url }) => {
  const isCurrent = url.searchParams.get("v") === codePageScriptVersion
  const { codePageScript } = await import("../../pages/generated/code-page-script.js")
  const caching = isCurrent ? "public, max-age=31536000, immutable" : "no-cache"
  return { body: { kind: "js", text: codePageScript }, headers: { "cache-control": caching } }
}

/** A QR code is dark on light in both color schemes: some cameras read no other. */
const rules = `
.unbroken{white-space:nowrap}
.qr{align-self:center;display:block;padding:.25rem;border:1px solid var(--line);border-radius:var(--radius);background:#fff}
.qr img{display:block;width:11.5rem;height:11.5rem}
.open-app{margin-block-start:-.5rem;text-align:center}
.key{display:flex;flex-direction:column;gap:.25rem}
.key-row{display:flex;align-items:stretch;gap:.5rem}
.key-text{flex:1;padding:.625rem .75rem;border-radius:var(--radius);background:var(--hint);overflow-wrap:normal}
.small-button{flex:none;width:auto;min-height:2.75rem;padding-inline:.75rem}
.codes{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.25rem .5rem;padding:1rem;list-style:none;
border-radius:var(--radius);background:var(--hint);direction:ltr}
.codes li{text-align:center;font-size:1.0625rem;line-height:1.75rem}
.code-actions{display:flex;flex-wrap:wrap;gap:.5rem}
.code-actions .button{flex:1 1 6.5rem;width:auto;padding-inline:.5rem}
@media print{body{display:block}.site,.form,.code-actions,.notice{display:none}.card{border:0;padding:0}
.codes{background:none;border:1px solid #000}}
`
