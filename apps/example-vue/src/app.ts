import { createAuth } from "@latchkey/vue"
import { createSSRApp, type App as VueApp } from "vue"
import App from "./app.vue"
import type { PageState } from "./page-state.ts"

/** Creates the app, on the server for each request and once in the browser. */
export function createPage(state: PageState): VueApp {
  return createSSRApp(App, { state }).use(createAuth({ session: state.session }))
}
