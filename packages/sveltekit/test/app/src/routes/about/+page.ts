/** Made when the app is built, with the layout that asks who it is. */
export const prerender = true
