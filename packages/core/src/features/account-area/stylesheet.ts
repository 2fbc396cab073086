import { showStylesheet as answerStylesheet } from "../../actions/assets.js"
import type { AuthRequest } from "../../http/request.js"
import type { Reply } from "../../http/response.js"
import type { PageFrame } from "../../pages/document.js"
import type { Stylesheet } from "../../pages/stylesheet.js"
import type { ActionContext, PageContext } from "../feature.js"
import { extendStylesheet, toFrame } from "../page.js"
import { stylesheetPath } from "./names.js"

/** The stylesheet of all pages, and what the pages of the account area need besides. */
const getStylesheet = (context: PageContext): Promise<Stylesheet> => extendStylesheet(context, rules)

/** The frame of the pages of the area, with their stylesheet. */
export async function toAreaFrame(request: AuthRequest, context: ActionContext): Promise<PageFrame> {
  const { version } = await getStylesheet(context)
  const stylesheetUrl = `${context.actionUrl(request, stylesheetPath)}?v=${version}`
  return { ...(await toFrame(request, context)), stylesheetUrl }
}

/** `GET account/style.css`. */
export function showStylesheet(request: AuthRequest, context: ActionContext): Promise<Reply> {
  return answerStylesheet(request, { stylesheet: () => getStylesheet(context) })
}

/** Directions are logical, for right-to-left languages. */
const rules = `
body{grid-template-columns:minmax(0,30rem);grid-template-rows:minmax(1.5rem,3rem) auto auto auto minmax(1.5rem,1fr)}
.account-person{display:flex;align-items:center;gap:.75rem}
.account-initial{flex:none;display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:50%;
background:var(--hint);color:var(--accent);font-size:1.125rem;font-weight:600}
.account-name{display:flex;flex-direction:column;min-width:0}
.card{--edge:2rem}
.account-nav{grid-row:3;display:flex;flex-direction:column;margin-block-end:.5rem}
.account-nav-home,.account-nav>:not(.account-home){display:none}
main.card{grid-row:4}
.site-links{grid-row:5}
.account-link{display:flex;align-items:center;min-height:2.75rem;padding:.5rem .75rem;border-radius:var(--radius);
color:var(--text);font-weight:500;line-height:1.25rem;text-decoration:none}
.account-link:hover{background:var(--surface-hover)}
.account-home{align-self:flex-start;gap:.75rem}
.account-home::before{content:"";width:.5rem;height:.5rem;border-inline-start:2px solid;border-block-end:2px solid;transform:rotate(45deg)}
[dir=rtl] .account-home::before{transform:rotate(-45deg)}
.account-list{display:flex;flex-direction:column;margin-inline:calc(-1*var(--edge));border-block:1px solid var(--line)}
.account-line{display:grid;grid-template-columns:1fr auto;align-items:center;align-content:center;column-gap:1rem;min-height:3.5rem;
padding:.5rem var(--edge);color:var(--text);text-decoration:none}
.account-line + .account-line{border-block-start:1px solid var(--line)}
.account-line:hover{background:var(--surface-hover)}
.account-line:focus-visible{outline-offset:-2px}
.account-line::after{content:"";grid-row:1/span 2;grid-column:2;width:.5rem;height:.5rem;
border-inline-end:2px solid var(--quiet);border-block-start:2px solid var(--quiet);transform:rotate(45deg)}
[dir=rtl] .account-line::after{transform:rotate(-45deg)}
.account-title{font-weight:500}
.account-state{grid-column:1;color:var(--quiet);font-size:.875rem;line-height:1.25rem}
.account-state:empty{display:none}
.account-state>time:first-child{display:inline-block}
.account-state>time:first-child::first-letter{text-transform:uppercase}
.account-items{display:flex;flex-direction:column;padding:0;list-style:none}
.account-item{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem;min-height:3.5rem;padding-block:.5rem}
.account-item + .account-item{border-block-start:1px solid var(--line)}
.account-item-text{flex:1;display:flex;flex-direction:column;min-width:0}
.button-provider>[data-provider]{display:flex}
.account-below{flex-basis:100%}
.account-below .more-summary{justify-content:flex-start;padding-inline:0}
.account-small .button{width:auto;min-height:2.5rem;padding-inline:.75rem}
.button-removal{color:var(--danger-text)}
.button-danger{border-color:var(--danger-line);background:var(--danger-line);color:var(--card);font-weight:600}
.button-danger:hover,.button-danger:active{border-color:var(--danger-text);background:var(--danger-text)}
.account-facts{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0}
.account-facts dt{color:var(--quiet)}
.account-facts dd{margin:0}
.account-part{display:flex;flex-direction:column;gap:1rem;margin-block-start:.5rem;padding-block-start:1.5rem;
border-block-start:1px solid var(--line)}
.account-picture{align-self:flex-start;border-radius:50%;background:var(--hint);object-fit:cover}
.input::file-selector-button{margin-inline-end:.75rem;padding:.125rem .75rem;border:1px solid var(--surface-line);
border-radius:min(.25rem,var(--radius));background:var(--surface-active);color:inherit;font:inherit;cursor:pointer}
.account-lock{display:flex;flex-direction:column;gap:.75rem}
@media (max-width:25rem){.card{--edge:1.25rem}}
@media (min-width:56.25rem){
html{scrollbar-gutter:stable}
body{grid-template-columns:16rem minmax(0,40rem);column-gap:2.5rem;padding-inline:2rem;
grid-template-rows:2rem auto minmax(auto,1fr) 3rem}
.site{grid-column:1/-1;justify-content:flex-start;margin-block-end:1.5rem}
.account-nav{grid-row:3;display:flex;align-self:start;gap:.125rem;margin:0}
.account-nav .account-link,.account-nav .account-person{display:flex}
.account-nav .account-person{padding:0 .75rem 1rem}
.account-nav .account-initial{width:2.25rem;height:2.25rem;background:var(--surface-active);color:var(--text);font-size:1rem}
.account-nav .account-name{font-size:.875rem;line-height:1.25rem}
.account-home:not([aria-current])::before{content:none}
.account-home{align-self:auto}
.account-link[aria-current]{position:relative;background:var(--surface-active);font-weight:600}
.account-link[aria-current]::before{content:"";position:absolute;inset-block:.5rem;inset-inline-start:0;width:.25rem;height:auto;
border:0;border-radius:.25rem;background:var(--accent);transform:none}
.account-exit{color:var(--quiet);font-weight:400}
.account-link:not(.account-exit) + .account-exit{margin-block-start:1rem}
main.card{grid-row:3;grid-column:2;gap:1.25rem}
.site-links{grid-row:4;grid-column:2;justify-content:flex-start}
main .account-person,main:has(.account-list) .next-steps{display:none}
.account-list{border-block-end:0;margin-block-end:calc(-1*var(--edge))}
.account-line{grid-template-columns:1fr auto auto}
.account-line .account-state{grid-column:2}
.account-line::after{grid-row:1;grid-column:3}
main .field,main .notice,main p{max-width:28rem}
main .button{width:auto;min-width:10rem;align-self:flex-start}
main .next-steps,main .account-lock,main .form{align-items:flex-start}
main .field{align-self:stretch}
}
`
