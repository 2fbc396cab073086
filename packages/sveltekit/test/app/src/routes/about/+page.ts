/** Prerendered at build time, with the layout that reads the session. */
export const prerender = true
