/**
 * Everything in the stylesheet that no host changes. Sizes are in rem, in steps of a quarter (4 px), so that a larger
 * text of the visitor's browser enlarges all; directions are logical, for languages from right to left.
 */
export const stylesheetRules = `
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding-inline:1rem;min-height:100vh;min-height:100dvh;
display:grid;justify-content:center;grid-template-columns:minmax(0,24rem);
grid-template-rows:minmax(1.5rem,2fr) auto auto minmax(1.5rem,3fr);
background:var(--page);color:var(--text);
font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif;
overflow-wrap:anywhere}
h1,h2,p,ul{margin:0}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}

.site{grid-row:2;display:flex;justify-content:center;margin-block-end:1.25rem}
.site-link{display:flex;align-items:center;min-height:2.75rem;padding-inline:.5rem;border-radius:.5rem;
color:var(--text);font-weight:600;text-align:center;text-decoration:none}
.site-link:hover{text-decoration:underline;text-underline-offset:.25em}
.site-logo{display:block;max-width:100%;max-height:3rem}

.card{grid-row:3;align-self:start;display:flex;flex-direction:column;gap:1rem;padding:2rem;
border:1px solid var(--line);border-radius:.5rem;background:var(--card)}
.heading{font-size:1.375rem;line-height:1.75rem;font-weight:600;letter-spacing:-.01em;text-wrap:balance}
.quiet{color:var(--quiet)}

.notice{padding:.75rem 1rem;border-radius:.25rem;border-inline-start:.25rem solid var(--danger-line);
background:var(--danger);color:var(--danger-text)}
.notice-hint{border-inline-start-color:var(--accent);background:var(--hint);color:var(--text)}
.notice-heading{font-weight:600}

.form,.field{display:flex;flex-direction:column}
.form{gap:1rem}
.field{gap:.25rem}
.label{font-weight:500}
.input{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--field-line);border-radius:.5rem;
background:var(--field);color:var(--text);font:inherit}
.input::placeholder{color:var(--quiet);opacity:1}
.input:hover{border-color:var(--text)}
.input:focus-visible{outline-offset:0;border-color:var(--accent)}
.input:disabled{opacity:.6;cursor:not-allowed}
.input[aria-invalid=true]{border-color:var(--danger-line)}
.field-box{flex-direction:row-reverse;justify-content:flex-end;align-items:center;gap:.75rem;min-height:2.75rem}
.field-box .input{flex:none;width:1.25rem;min-height:1.25rem;height:1.25rem;margin:0;padding:0;accent-color:var(--accent)}

.button{display:flex;align-items:center;justify-content:center;gap:.75rem;width:100%;min-height:2.75rem;
padding:.5rem 1rem;border:1px solid var(--surface-line);border-radius:.5rem;
background:var(--surface);color:var(--text);
font:inherit;font-weight:500;text-align:center;text-decoration:none;cursor:pointer}
.button:hover{background:var(--surface-hover)}
.button:active{background:var(--surface-active)}
.button-primary{border-color:var(--brand-line);background:var(--brand-color);color:var(--button-text-color);font-weight:600}
.button-primary:hover{background:var(--brand-hover)}
.button-primary:active{background:var(--brand-active)}
.button-provider{justify-content:flex-start;padding-inline:.75rem;text-align:start}
.button:disabled{opacity:.6;cursor:not-allowed}
.button[aria-busy=true]{opacity:.75;cursor:progress}
.button-text{min-width:0}

[hidden]{display:none!important}
.passkey{display:flex;flex-direction:column;gap:.5rem}
.passkey .more>.form{padding-block-end:.5rem}
@media (scripting:none){.passkey>:not(noscript){display:none}}

.providers,.ways{display:flex;flex-direction:column;gap:.5rem}
.ways{margin-block-start:.5rem}
.form + .ways{margin-block-start:-.5rem}
.mark{flex:none;width:1.5rem;height:1.5rem;border-radius:.25rem;object-fit:contain}
/* Most logos are drawn for a light ground. */
img.mark{padding:.125rem;background:var(--logo-ground)}
.mark-drawn{padding:.0625rem;color:var(--mark-ink,var(--quiet))}
.mark-letter{display:grid;place-items:center;background:var(--mark);color:var(--mark-text);
box-shadow:inset 0 0 0 1px var(--mark-line);font-size:.8125rem;line-height:1;font-weight:700}
.mark-letter::before{content:attr(data-letter)}

.divider{display:flex;align-items:center;gap:.75rem;color:var(--quiet);font-size:.875rem;line-height:1.25rem}
.divider::before,.divider::after{content:"";flex:1;border-block-start:1px solid var(--line)}

.more-summary{display:flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;padding:.5rem 1rem;
border-radius:.5rem;color:var(--accent);font-weight:500;text-align:center;cursor:pointer;list-style:none}
.more-summary::-webkit-details-marker{display:none}
.more-summary::after{content:"";flex:none;width:.5rem;height:.5rem;margin-block-start:-.25rem;
border-inline-end:2px solid;border-block-end:2px solid;transform:rotate(45deg)}
[dir=rtl] .more-summary::after{transform:rotate(-45deg)}
.more-summary:hover{background:var(--surface-hover)}
.more-summary:active{background:var(--surface-active)}
.more[open]>.more-summary{margin-block-end:.5rem}
.more[open]>.more-summary::after{margin-block-start:.25rem;transform:rotate(225deg)}

.reference{color:var(--quiet);font-size:.875rem;line-height:1.25rem;font-variant-numeric:tabular-nums}
.developer{display:flex;flex-direction:column;gap:.5rem;padding:1rem;border:1px dashed var(--field-line);border-radius:.5rem;
font-size:.875rem;line-height:1.25rem}
.developer-heading{font-size:.875rem;line-height:1.25rem;font-weight:600}
.developer-audience{color:var(--quiet)}
.developer-message code{display:block;font-weight:600}
.developer-causes{padding-inline-start:1.25rem}

@media (max-width:25rem){.card{padding:1.25rem}}
@media (prefers-reduced-motion:no-preference){
.button,.input,.more-summary{transition:background-color .12s ease-out,border-color .12s ease-out}}
@media (forced-colors:active){.mark-letter,.notice{border:1px solid}}
`
