import { createHash } from "node:crypto"
import { type Response, Router } from "express"

/** The same sizes and colors as the pages of the sign-in service. */
const stylesheet: string = `
:root {
  color-scheme: light dark;
  --page: #f3f5f6;
  --card: #ffffff;
  --line: #dbe0e3;
  --text: #192024;
  --quiet: #56626a;
  --field: #ffffff;
  --field-line: #7f8a91;
  --surface: #ffffff;
  --surface-hover: #f1f4f5;
  --surface-active: #e6eaec;
  --surface-line: #c5ccd1;
  --hint: #eef3f4;
  --danger: #fdf1ef;
  --danger-line: #b3261e;
  --danger-text: #7a1a14;
  --brand: #0b6b70;
  --brand-hover: #0a5e63;
  --brand-line: #0b6b70;
  --accent: #0b6b70;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1315;
    --card: #181d20;
    --line: #30383d;
    --text: #e7ebee;
    --quiet: #a5b0b7;
    --field: #11161a;
    --field-line: #6f7c84;
    --surface: #20272b;
    --surface-hover: #293237;
    --surface-active: #333d43;
    --surface-line: #3d484e;
    --hint: #20282c;
    --danger: #2c1a19;
    --danger-line: #f2867b;
    --danger-text: #f9c6c0;
    --brand-line: #1a7479;
    --accent: #80b2b5;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  display: flex;
  flex-direction: column;
  background: var(--page);
  color: var(--text);
  font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, p, ul, ol, dl, dd, pre, table { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; line-height: 2rem; font-weight: 600; letter-spacing: -0.01em; text-wrap: balance; }
.narrow h1 { font-size: 1.375rem; line-height: 1.75rem; }
h2 { font-size: 1.125rem; line-height: 1.5rem; font-weight: 600; }
h3 { font-size: 1rem; font-weight: 600; }
a { color: var(--accent); text-underline-offset: 0.15em; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.875rem; }
code { padding: 0.125rem 0.25rem; border-radius: 0.25rem; background: var(--hint); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
.quiet { color: var(--quiet); }
.small { font-size: 0.875rem; }

.bar { border-bottom: 1px solid var(--line); background: var(--card); }
.bar > div {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.25rem 1.25rem;
  max-width: 46rem;
  margin: 0 auto;
  padding: 0.5rem 1rem;
}
.bar .brand { margin-right: auto; color: var(--text); font-weight: 600; text-decoration: none; }
.bar ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; list-style: none; }
.bar a { display: inline-block; padding: 0.5rem 0; }
.bar nav a { color: var(--quiet); text-decoration: none; }
.bar nav a:hover { color: var(--text); text-decoration: underline; }
.bar nav a[aria-current] { color: var(--text); font-weight: 600; }

main { width: 100%; max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 3rem; display: grid; gap: 1.5rem; }
main.narrow { max-width: 26rem; margin-block: auto; padding-bottom: 14vh; gap: 1.25rem; }
.narrow .card { padding: 2rem; }
main.wide, .bar.wide > div { max-width: 62rem; }
main > * { min-width: 0; }
.site { text-align: center; font-weight: 600; }
.site a { color: inherit; text-decoration: none; }
.site a:hover { text-decoration: underline; }
.card {
  display: grid;
  gap: 1rem;
  padding: 1.5rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--card);
}
.card > * { min-width: 0; }
@media (max-width: 25rem) { .card, .narrow .card { padding: 1.25rem; } }
.stack { display: grid; gap: 0.5rem; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; }

.apart { justify-content: space-between; }
.fields { display: grid; gap: 1rem; }

.button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 0.5rem;
  min-height: 2.75rem;
  padding: 0.5rem 1rem;
  border: 1px solid var(--surface-line);
  border-radius: 0.5rem;
  background: var(--surface);
  color: var(--text);
  font: inherit;
  font-weight: 500;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
.button:hover { background: var(--surface-hover); }
.button:active { background: var(--surface-active); }
.button:focus-visible { border-radius: 0.5rem; }
.button.main { border-color: var(--brand-line); background: var(--brand); color: #ffffff; font-weight: 600; }
.button.main:hover, .button.main:active { background: var(--brand-hover); }
.button:disabled { opacity: 0.6; cursor: not-allowed; }
.button[aria-busy="true"] { opacity: 0.75; cursor: progress; }
.button.full { width: 100%; }
.button.left { justify-content: flex-start; text-align: left; }

label { display: block; font-weight: 500; }
input[type="text"], input[type="email"] {
  display: block;
  width: 100%;
  min-height: 2.75rem;
  margin-top: 0.25rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--field-line);
  border-radius: 0.5rem;
  background: var(--field);
  color: var(--text);
  font: inherit;
}
input[aria-invalid] { border-color: var(--danger-line); }
.divider { font-size: 0.875rem; display: flex; align-items: center; gap: 0.75rem; color: var(--quiet); }
.divider::before, .divider::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.alarm { padding: 0.75rem 1rem; border-left: 0.25rem solid var(--danger-line); border-radius: 0.25rem; background: var(--danger); color: var(--danger-text); }

.person { display: flex; align-items: center; gap: 0.75rem; }
.initials {
  flex: none;
  display: grid;
  place-items: center;
  width: 2.5rem;
  height: 2.5rem;
  border-radius: 50%;
  background: var(--surface-active);
  color: var(--accent);
  font-weight: 600;
}
.person .small { display: block; font-weight: 400; line-height: 1.35; }

.ways { display: grid; gap: 1.25rem; list-style: none; counter-reset: way; }
.ways > li { display: grid; grid-template-columns: 2.25rem 1fr; gap: 0.125rem 0.5rem; counter-increment: way; }
.ways > li > * { grid-column: 2; min-width: 0; }
.ways > li::before {
  content: counter(way);
  grid-row: 1 / span 3;
  display: grid;
  place-items: center;
  width: 1.75rem;
  height: 1.75rem;
  border-radius: 50%;
  background: var(--hint);
  color: var(--accent);
  font-weight: 600;
}

.ways code { white-space: nowrap; }

.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.5rem; }
.facts dt { color: var(--quiet); }
@media (max-width: 30rem) { .facts { grid-template-columns: 1fr; } .facts dd + dt { margin-top: 0.5rem; } }
summary { min-height: 1.5rem; cursor: pointer; font-weight: 500; }
pre { padding: 1rem; border-radius: 0.5rem; background: var(--page); white-space: pre-wrap; }
details > pre { margin-top: 0.75rem; }

.mailbox { display: grid; grid-template-columns: 17rem minmax(0, 1fr); border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); overflow: hidden; }
.mailbox nav { border-right: 1px solid var(--line); max-height: 44rem; overflow-y: auto; }
.mailbox nav ol { list-style: none; }
.mailbox nav a { display: block; padding: 0.75rem 1rem; border-bottom: 1px solid var(--line); color: var(--text); text-decoration: none; }
.mailbox nav a:hover { background: var(--page); }
.mailbox nav a:focus-visible { outline-offset: -2px; }
.mailbox nav a[aria-current] { background: var(--hint); box-shadow: inset 3px 0 var(--accent); }
.mailbox nav strong { font-weight: 600; }
.mailbox nav a > * { display: block; overflow: hidden; text-overflow: ellipsis; }
.mail { display: flex; flex-direction: column; gap: 1rem; padding: 1.25rem; }
.mail iframe { width: 100%; height: 31rem; border: 1px solid var(--line); border-radius: 0.5rem; background: #ffffff; }
@media (max-width: 44rem) {
  .mailbox { grid-template-columns: minmax(0, 1fr); }
  .mailbox nav { max-height: 13rem; border-right: 0; border-bottom: 1px solid var(--line); }
  .mail { padding: 1rem; }
}

@media (prefers-reduced-motion: no-preference) { .button, .bar a { transition: background-color 0.12s, border-color 0.12s; } }
@media (forced-colors: active) { .button, .alarm { border: 1px solid; } }
`

/** A key in the accent color. */
const icon: string = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b70"/>\
<g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><circle cx="12" cy="13" r="4.6"/><path d="M15.6 16.2 23 23.6M20.2 20.8l2.6-2.6"/></g></svg>`

const version = createHash("sha256").update(stylesheet).update(icon).digest("hex").slice(0, 12)

/** URLs of the stylesheet and the icon. They change with the content, so that browsers can cache both. */
export const stylesheetUrl: string = `/theme/${version}/demo.css`
export const iconUrl: string = `/theme/${version}/icon.svg`

/** Serves the stylesheet and the icon. */
export function stylesheetRoutes(): Router {
  const router = Router()
  router.get(stylesheetUrl, (_request, response) => sendImmutable(response, "text/css", stylesheet))
  router.get(iconUrl, (_request, response) => sendImmutable(response, "image/svg+xml", icon))
  // Browsers request it for pages without an icon link, such as those of the sign-in service.
  router.get("/favicon.ico", (_request, response) => response.redirect(iconUrl))
  return router
}

function sendImmutable(response: Response, type: string, content: string): void {
  response.set({ "Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff" })
  response.type(type).send(content)
}
